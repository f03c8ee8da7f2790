// The contract of the search for sessions in a log: a part of its contract.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log, LogBody } from '../../src/core/contracts/log.ts';
import type {
  FoundSessions,
  SessionPlace,
  SessionSearch,
  TurnSearch,
} from '../../src/core/contracts/session-search.ts';

type Fields = Readonly<Record<string, unknown>>;
const body = (type: string, fields: Fields): LogBody => ({ type, ...fields }) as LogBody;

const opened = (turn: string, owner: string, text: string, at: number, more: Fields = {}) =>
  body('turn_opened', { turn, kind: 'say', owner, lane: owner, text, at, ...more });
const ended = (turn: string, outcome: string, at: number) => body('turn_ended', { turn, outcome, at });

/** Defines the tests. `open` resolves with a new, empty log. */
export function sessionSearchContract(name: string, open: () => Promise<Log>): void {
  describe(`the search for sessions in the log ${name} [list.find]`, () => {
    let log: Log;
    const epochs = new Map<string, number>();
    beforeEach(async () => {
      epochs.clear();
      log = await open();
    });
    afterEach(() => log.close());

    /** Appends to a session, as the host that has claimed it. */
    async function write(session: string, ...bodies: readonly LogBody[]): Promise<void> {
      const { epoch, last } = await log.head(session);
      const held = epochs.get(session) ?? (await log.claim(session, epoch, 'host'));
      epochs.set(session, held);
      await log.append(session, held, last, bodies);
    }

    const find = async (turn: TurnSearch | null, search: Partial<SessionSearch> = {}) => {
      const { found } = (await log.findSessions?.({ order: 'newest', among: null, turn, ...search }, null, 100)) ?? {};
      return found?.map(({ session }) => session) ?? [];
    };
    const findWords = (...words: string[]) => find({ words });

    test('the newest is the first, with the time of its last event; a later event brings a session to the front', async () => {
      await write('a', opened('t1', 'ann', 'one', 10), ended('t1', 'cancelled', 11));
      await write('b', opened('t2', 'ann', 'two', 20));
      await write('c', body('session_opened', { at: 15 }));
      const list = async () => (await log.findSessions?.({ order: 'newest', among: null, turn: null }, null, 9))?.found;
      expect(await list()).toEqual([
        { session: 'b', at: 20, title: null, lastTurn: { outcome: 'open' } },
        { session: 'c', at: 15, title: null, lastTurn: null },
        { session: 'a', at: 11, title: null, lastTurn: { outcome: 'cancelled' } },
      ]);
      await write('a', opened('t3', 'ann', 'three', 30), body('session_renamed', { title: 'The first', at: 31 }));
      // an acknowledgement is no turn that somebody asked for
      await write('a', ended('t3', 'completed', 32), opened('t4', 'ann', '', 33, { kind: 'acknowledgement' }));
      expect((await list())?.[0]).toEqual({
        session: 'a',
        at: 33,
        title: 'The first',
        lastTurn: { outcome: 'completed' },
      });
    });

    test('a page has a limit of sessions that are looked at, and the next one goes on after it, in both orders', async () => {
      for (const [i, session] of ['d', 'a', 'c', 'b', 'e'].entries())
        await write(session, opened(`t${i}`, i % 2 === 0 ? 'ann' : 'bob', 'words', i < 4 ? i : 3));
      const pages = async (order: SessionSearch['order'], turn: TurnSearch | null) => {
        const read: string[][] = [];
        for (let place: SessionPlace | null = null; read.length < 9; ) {
          const page: FoundSessions | undefined = await log.findSessions?.({ order, among: null, turn }, place, 2);
          if (!page) return [];
          read.push(page.found.map(({ session }) => session));
          place = page.next;
          if (place === null) break;
        }
        return read;
      };
      expect(await pages('newest', null)).toEqual([['e', 'b'], ['c', 'a'], ['d']]);
      expect(await pages('name', null)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect(await pages('newest', { speaker: 'ann' })).toEqual([['e'], ['c'], ['d']]);
    });

    test('words are found at the beginning of words, whatever their case and accents, all of them in one message', async () => {
      await write('a', opened('t1', 'ann', 'Déploy the Website, please', 1));
      await write(
        'b',
        opened('t2', 'ann', 'the weather', 2),
        body('model_ended', { turn: 't2', text: 'Rainy.', at: 3 }),
      );
      await write(
        'c',
        opened('t3', 'ann', 'Привет мир', 4),
        body('input_deferred', { turn: 't3', text: '東京 2026', at: 5 }),
      );
      expect(await findWords('deploy')).toEqual(['a']);
      expect(await findWords('déplo', 'web')).toEqual(['a']);
      expect(await findWords('the')).toEqual(['b', 'a']);
      expect(await findWords('we')).toEqual(['b', 'a']);
      expect(await findWords('site')).toEqual([]);
      expect(await findWords('rain')).toEqual(['b']);
      expect(await findWords('weather', 'rainy')).toEqual([]);
      expect(await findWords('привет')).toEqual(['c']);
      expect(await findWords('東京')).toEqual(['c']);
      expect(await findWords('or', 'not', 'near')).toEqual([]);
    });

    test('a title is found until another one replaces it', async () => {
      await write('a', body('session_renamed', { title: 'Launch plan', at: 1 }));
      await write('b', opened('t1', 'ann', 'nothing', 2));
      expect(await findWords('launch')).toEqual(['a']);
      await write('a', opened('t2', 'bob', 'hello', 3), body('session_renamed', { title: 'Landing', at: 4 }));
      expect(await findWords('launch')).toEqual([]);
      expect(await findWords('landing')).toEqual(['a']);
      expect(await find({ words: ['landing'], speaker: 'bob' })).toEqual(['a']);
      expect(await find({ words: ['landing'], speaker: 'ann' })).toEqual([]);
      await write('a', body('session_renamed', { title: null, at: 5 }));
      expect(await findWords('landing')).toEqual([]);
    });

    test('one turn has all that is asked for: words, speaker, outcome, tool, cause and time', async () => {
      await write(
        'a',
        opened('t1', 'ann', 'deploy', 10),
        body('tool_call', { turn: 't1', node: 'c1', name: 'spawn_agent', at: 11 }),
        body('turn_started', { turn: 't1a', parent: 'c1', agent: 'helper', text: 'work', at: 12 }),
        body('tool_call', { turn: 't1a', node: 'c2', name: 'shell', at: 13 }),
        body('model_ended', { turn: 't1a', text: 'from below', at: 14 }),
        body('cancel_accepted', { source: 'client', stopping: ['c2'], pending: [], at: 15 }),
        ended('t1a', 'cancelled', 16),
        ended('t1', 'completed', 17),
        opened('t2', 'bob', 'test', 20),
        body('cancel_accepted', { source: 'deadline', stopping: [], pending: ['t2'], at: 21 }),
        ended('t2', 'timed_out', 22),
        opened('t3', 'bob', 'more', 30),
      );
      const isFound = async (turn: TurnSearch) => (await find(turn)).length === 1;
      for (const turn of [
        { speaker: 'ann', tool: 'shell', cause: 'client', outcome: 'completed', words: ['deploy'] },
        { tool: 'helper', speaker: 'ann', words: ['below'] },
        { speaker: 'bob', outcome: 'timed_out', cause: 'deadline' },
        { speaker: 'bob', outcome: 'open', since: 30, until: 31 },
        { since: 10, until: 11, outcome: 'completed' },
      ] as const)
        expect({ ...turn, isFound: await isFound(turn) }).toEqual({ ...turn, isFound: true });
      for (const turn of [
        { speaker: 'bob', tool: 'shell' },
        { speaker: 'ann', cause: 'deadline' },
        { speaker: 'ann', outcome: 'open' },
        { speaker: 'bob', words: ['deploy'] },
        { outcome: 'cancelled' },
        { since: 31 },
        { until: 10 },
      ] as const)
        expect({ ...turn, isFound: await isFound(turn) }).toEqual({ ...turn, isFound: false });
    });

    test('only sessions that are named are looked at', async () => {
      for (const session of ['a', 'b', 'c']) await write(session, opened('t', 'ann', 'word', 1));
      expect(await find(null, { among: ['c', 'a', 'gone'] })).toEqual(['c', 'a']);
      expect(await find(null, { among: [] })).toEqual([]);
    });

    test('what a session began with is found, and what was deleted is not [delete.bytes]', async () => {
      const blobs = { from: 'other', ids: [], limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 } };
      await log.createSession?.('fork', [body('session_opened', { at: 50 }), opened('t1', 'ann', 'copied', 10)], blobs);
      expect(await findWords('copied')).toEqual(['fork']);
      expect((await log.findSessions?.({ order: 'newest', among: null, turn: null }, null, 9))?.found).toEqual([
        { session: 'fork', at: 50, title: null, lastTurn: { outcome: 'open' } },
      ]);
      await log.deleteSession?.('fork');
      expect(await findWords('copied')).toEqual([]);
      expect(await find(null)).toEqual([]);
      expect(await find({ speaker: 'ann' })).toEqual([]);
      await write('fork', opened('t9', 'bob', 'anew', 60));
      expect(await findWords('copied')).toEqual([]);
      expect(await find({ speaker: 'bob' })).toEqual(['fork']);
    });

    test.each([
      ['before anybody has looked for them', false],
      ['after they were found', true],
    ])(
      'words that were redacted %s are not found, and the speaker has the pseudonym [delete.person]',
      async (_, isFound) => {
        await write(
          's',
          opened('t1', 'ann', 'secret words', 1),
          body('session_renamed', { title: 'Secret title', by: 'ann', at: 2 }),
          opened('t2', 'bob', 'open words', 3),
        );
        if (isFound) expect(await findWords('secret')).toEqual(['s']);
        const epoch = epochs.get('s') ?? 0;
        await log.deletions?.redact('s', epoch, 1, opened('t1', 'deleted_1', '[deleted]', 1));
        await log.deletions?.redact(
          's',
          epoch,
          2,
          body('session_renamed', { title: '[deleted]', by: 'deleted_1', at: 2 }),
        );
        expect(await findWords('secret')).toEqual([]);
        expect(await findWords('open')).toEqual(['s']);
        expect(await find({ speaker: 'ann' })).toEqual([]);
        expect(await find({ speaker: 'deleted_1', words: ['deleted'] })).toEqual(['s']);
        const [listed] = (await log.findSessions?.({ order: 'name', among: null, turn: null }, null, 9))?.found ?? [];
        expect(listed?.title).toBe('[deleted]');
      },
    );
  });
}
