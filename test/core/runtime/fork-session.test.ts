// Sessions are forked: by whom, from which turns, under which names, and what the fork has of the other session.
import { describe, expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { Log } from '../../../src/core/contracts/log.ts';
import type { Caller } from '../../../src/core/session/api.ts';
import type { ForkReply, ForkRequest } from '../../../src/core/session/session-archive.ts';
import type { Observer } from '../../../src/core/session/session-spec.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import {
  bobCaller,
  callerOf,
  callsOnce,
  callsResponse,
  type Harness,
  type HarnessOptions,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';

/** A harness whose session has one turn of alice that has completed. */
async function startWithTurn(
  options: HarnessOptions = {},
): Promise<{ readonly harness: Harness; readonly turn: string }> {
  const harness = await startHarness(options);
  const turn = await harness.say('the first words', harness.alice, 'ref of alice');
  await harness.clock.advance(1_000);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  return { harness, turn };
}

/** Forks `s`, and expects that it was done. */
async function fork(harness: Harness, request: ForkRequest, caller: Caller | null = bobCaller, session = 's') {
  const reply = await harness.runtime.forkSession(session, caller, request);
  if (reply.type !== 'forked') throw new Error(`It was not forked: ${JSON.stringify(reply)}.`);
  return reply;
}

const factsIn = async (log: Log, session: string): Promise<readonly RecordedFact[]> =>
  (await log.read(session, 0)).map(({ body }) => body as RecordedFact); // only journals and forks write events

/** Says something in a session as bob, and returns the facts of it once the turn is over. */
async function sayIn(harness: Harness, session: string, text: string, caller = bobCaller) {
  const pending = harness.runtime.say(session, caller, { text });
  await harness.clock.advance(1_000);
  expect(await pending).toMatchObject({ type: 'turn_opened' });
  return factsIn(harness.log, session);
}

describe('a session is forked from a turn that has settled', () => {
  test('and goes on with what was said, as a session of who forked it; the other one has not changed [fork.settled] [fork.owner]', async () => {
    const { harness, turn } = await startWithTurn();
    const before = await factsIn(harness.log, 's');
    const forked = await fork(harness, { turn });
    expect(forked).toMatchObject({ by: 'bob', repeated: false, from: { session: 's', turn } });
    const [opened] = await factsIn(harness.log, forked.fork);
    expect(opened).toMatchObject({ type: 'session_opened', by: 'bob', forked: forked.from, at: harness.clock.now() });
    expect(before[forked.from.seq - 1]).toMatchObject({ type: 'turn_ended', turn });
    const facts = await sayIn(harness, forked.fork, 'and then?');
    expect(facts.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
    expect(harness.provider.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
      expect.any(String),
      'alice: the first words',
      'hello',
      'bob: and then?',
    ]);
    expect(await factsIn(harness.log, 's')).toEqual(before);
  });

  test('that is the only member; under the rule `members` nobody else of the session reads it [fork.owner]', async () => {
    const { harness, turn } = await startWithTurn({
      session: (id) => (id === 's' ? {} : { access: 'members' }),
    });
    const { fork: id } = await fork(harness, { turn });
    const directory = await harness.runtime.directory();
    const listed = async (caller: Caller) =>
      (await directory.list(caller, { after: null, limit: 10, action: 'read', state: null })).sessions;
    expect(await listed(bobCaller)).toContainEqual({
      session: id,
      title: 'the first words',
      forkedFrom: { session: 's', turn },
      lastAt: expect.any(Number),
      status: 'done',
      state: 'asleep',
      activeTurns: 0,
    });
    expect((await listed(harness.alice)).map(({ session }) => session)).toEqual(['s']);
    await expect(harness.runtime.exportSession(id, harness.alice)).rejects.toMatchObject({ code: 'access_denied' });
  });

  test('not from one that is unknown, runs, or is of a sub-agent: each refusal says which [fork.settled]', async () => {
    const agent = { description: 'helps', instructions: 'Help.' };
    const harness = await startHarness({
      agents: { helper: agent },
      respond: (_, n) =>
        n === 0 ? callsResponse(['spawn_agent', { task: 'work', agent: 'helper' }]) : textResponse('ok'),
    });
    const turn = await harness.say('go');
    await harness.clock.advance(1);
    const refused = (request: ForkRequest) => harness.runtime.forkSession('s', bobCaller, request);
    expect(await refused({ turn: 'turn_never' })).toMatchObject({ type: 'turn_not_forkable' });
    expect(await refused({ turn })).toMatchObject({ message: expect.stringContaining('has not settled') });
    await harness.clock.advance(1_000);
    const below = harness.recorder.of('turn_started').find(({ parent }) => parent !== null)?.turn ?? '';
    expect(await refused({ turn: below })).toMatchObject({ message: expect.stringContaining('sub-agent') });
    expect((await refused({ turn })).type).toBe('forked');
  });

  test('without a turn beside it that had not settled by then [fork.settled]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    await harness.say('long work of bob', bobCaller);
    await harness.clock.advance(10);
    const turn = await harness.say('short');
    await harness.clock.advance(100);
    expect(harness.endOf(turn)).toBeDefined();
    const { fork: id } = await fork(harness, { turn });
    const facts = await sayIn(harness, id, 'next');
    expect(JSON.stringify(facts)).not.toContain('long work');
    expect(JSON.stringify(harness.provider.requests.at(-1)?.messages)).not.toContain('long work');
    await harness.cancel({ target: 'session' });
    await harness.clock.advance(1_000);
  });
});

describe('who may fork', () => {
  test('is who may read; a session that one may not read, and one that does not exist, are refused alike [fork.access]', async () => {
    const refusals: unknown[] = [];
    const observer: Observer = { refused: (refusal) => void refusals.push(refusal) };
    const harness = await startHarness({
      observers: [observer],
      session: (id) => (id === 's' ? {} : { access: id === 'plan' ? 'private' : 'members' }),
    });
    await sayIn(harness, 'plan', 'mine alone', harness.alice);
    const refusalOf = (reply: Promise<unknown>) =>
      reply.then(
        () => expect.unreachable('it was not refused'),
        ({ code, message }) => ({ code, message }),
      );
    const read = await refusalOf(harness.runtime.exportSession('plan', bobCaller));
    expect(read).toMatchObject({ code: 'access_denied' });
    for (const session of ['plan', 'never'])
      expect(await refusalOf(harness.runtime.forkSession(session, bobCaller, { turn: 'turn_1' }))).toEqual(read);
    expect(refusals.slice(0, 2)).toEqual([
      { session: 'plan', speaker: 'bob', action: 'read', code: 'access_denied' },
      { session: 'plan', speaker: 'bob', action: 'read', code: 'access_denied' },
    ]);
    expect(await harness.log.listSessions?.(null, 10)).toEqual(['plan', 's']);
  });

  test('a program forks without an owner', async () => {
    const { harness, turn } = await startWithTurn();
    const forked = await fork(harness, { turn, to: 'copy' }, null);
    expect(forked).toMatchObject({ fork: 'copy', by: null });
    expect((await factsIn(harness.log, 'copy'))[0]).toMatchObject({ by: null });
  });
});

describe('a repeat', () => {
  test('under the same ref gets the same fork, also at the same time; another turn under it is refused [fork.idempotent]', async () => {
    const inner = createMemoryLog();
    const made: string[] = [];
    const log = wrapLog(inner, {
      async createSession(...args) {
        made.push(args[0]);
        await inner.createSession?.(...args);
      },
      listSessions: (after, limit) => inner.listSessions?.(after, limit) ?? Promise.resolve([]),
    });
    const { harness, turn } = await startWithTurn({ log });
    const second = await harness.say('more');
    await harness.clock.advance(1_000);
    const [one, two] = await Promise.all([fork(harness, { turn, ref: 'f' }), fork(harness, { turn, ref: 'f' })]);
    expect(two).toEqual({ ...one, repeated: true });
    expect(made).toEqual([one.fork]); // the second one waits for the first
    expect(await fork(harness, { turn, ref: 'f' })).toEqual({ ...one, repeated: true });
    expect(await harness.runtime.forkSession('s', bobCaller, { turn: second, ref: 'f' })).toEqual({
      type: 'ref_reused',
    });
    expect((await fork(harness, { turn, ref: 'f' }, harness.alice)).fork).not.toBe(one.fork);
    expect((await fork(harness, { turn })).fork).not.toBe((await fork(harness, { turn })).fork);
  });

  test('under the same name, too; the name of another session is refused [fork.idempotent]', async () => {
    const { harness, turn } = await startWithTurn();
    const one = await fork(harness, { turn, to: 'plan-b' });
    expect(await fork(harness, { turn, to: 'plan-b', ref: 'any' })).toEqual({ ...one, repeated: true });
    const refused: ForkReply = { type: 'session_exists', fork: 'plan-b' };
    expect(await harness.runtime.forkSession('s', harness.alice, { turn, to: 'plan-b' })).toEqual(refused);
    expect(await harness.runtime.forkSession('s', bobCaller, { turn, to: 's' })).toEqual({ ...refused, fork: 's' });
    await expect(harness.runtime.forkSession('s', bobCaller, { turn, to: ' ' })).rejects.toThrow(RangeError);
  });

  test('after the store has lost the reply finds it; before that there is nothing [fork.whole]', async () => {
    let fate: 'lost' | 'applied' | 'answered' = 'lost';
    const inner = createMemoryLog();
    const log = wrapLog(inner, {
      async createSession(...args) {
        if (fate !== 'lost') await inner.createSession?.(...args);
        if (fate !== 'answered') throw new Error('The reply was lost.');
      },
      listSessions: (after, limit) => inner.listSessions?.(after, limit) ?? Promise.resolve([]),
    });
    const { harness, turn } = await startWithTurn({ log });
    const attempt = () => harness.runtime.forkSession('s', bobCaller, { turn, ref: 'f' });
    await expect(attempt()).rejects.toThrow('lost');
    expect(await inner.listSessions?.(null, 10)).toEqual(['s']);
    fate = 'applied';
    await expect(attempt()).rejects.toThrow('lost');
    expect(await attempt()).toMatchObject({ type: 'forked', repeated: true });
  });
});

describe('what a fork does not repeat', () => {
  test('is a call of unknown effect: after a RESUME of the stopped turn it asks for a yes [fork.unknown]', async () => {
    let runs = 0;
    const pay = toolOf(
      'pay',
      (_, { signal }) => {
        runs++;
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' })),
        );
      },
      { effect: 'some' },
    );
    const harness = await startHarness({
      tools: [pay],
      respond: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? textResponse('done') : callsResponse(['pay', { amount: 5 }]),
    });
    const turn = await harness.say('pay');
    await harness.clock.advance(100);
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('tool_result')[0]).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
    const forked = await fork(harness, { turn }, harness.alice);
    const resuming = harness.runtime.resume(forked.fork, harness.alice, { turn: forked.turn });
    await harness.clock.advance(100);
    expect(await resuming).toMatchObject({ type: 'turn_opened' });
    const facts = await factsIn(harness.log, forked.fork);
    expect(facts.filter(({ type }) => type === 'approval_requested')).toHaveLength(1);
    expect(runs).toBe(1);
    await harness.runtime.cancel(forked.fork, harness.alice, { target: 'session' });
    await harness.clock.advance(1_000);
  });

  test('is usage: neither the limit of the session nor the day of its speakers counts it, also after a start [fork.usage]', async () => {
    const log = createMemoryLog();
    const respond = () => ({ ...textResponse('hello'), usage: { input: 60, output: 0 } });
    const limits = { sessionTokens: 100, speakerDayTokens: 150 };
    const { harness, turn } = await startWithTurn({ log, respond, limits });
    const { fork: id } = await fork(harness, { turn }, harness.alice);
    await harness.runtime.close();
    const next = await startHarness({ log, respond, limits, life: 2 });
    const facts = await sayIn(next, id, 'go on', next.alice);
    expect(facts.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
    const used = facts.flatMap((fact) => (fact.type === 'model_ended' ? [fact.usage.input] : []));
    expect(used).toEqual([0, 60]);
    await sayIn(next, id, 'once more', next.alice);
    const stopped = await sayIn(next, id, 'too much', next.alice);
    expect(stopped.at(-1)).toMatchObject({ cause: { reason: expect.stringContaining('has used 120 tokens') } });
    await next.runtime.close();
  });

  test('is work: observers are notified of its facts from their cursor on, and of no node that has run elsewhere [fork.usage]', async () => {
    const recorder = createRecorder();
    const seen: string[] = [];
    const observer: Observer = {
      ...recorder.observer,
      cursor: () => null,
      fact: (session, seq, fact) => void (session === 'copy' && seen.push(`${seq} ${fact.type}`)),
    };
    const { harness, turn } = await startWithTurn({ observers: [observer], respond: callsOnce(['note']) });
    const nodes = recorder.starts.length;
    const forked = await fork(harness, { turn, to: 'copy' });
    await harness.runtime.open('copy');
    await harness.clock.advance(10);
    expect(recorder.starts).toHaveLength(nodes);
    expect(recorder.ends).toHaveLength(nodes);
    expect(seen[0]).toBe('1 session_opened');
    expect(seen).toHaveLength(forked.from.copied);
    await sayIn(harness, 'copy', 'go on');
    expect(recorder.starts).toHaveLength(nodes + 1);
  });

  test('is a ref: the same ref opens a turn of its own in the fork [fork.apart]', async () => {
    const { harness, turn } = await startWithTurn();
    const forked = await fork(harness, { turn }, harness.alice);
    const pending = harness.runtime.say(forked.fork, harness.alice, { text: 'other words', ref: 'ref of alice' });
    await harness.clock.advance(1_000);
    const reply = await pending;
    expect(reply).toMatchObject({ type: 'turn_opened' });
    expect(reply).not.toMatchObject({ turn: forked.turn });
  });
});

describe('the blobs of a fork', () => {
  test('are its own copies: each session loses its own when it is deleted [fork.blobs]', async () => {
    const harness = await startHarness();
    const data = Buffer.from('an image');
    const [blob = ''] = await harness.runtime.storeBlobs('s', [data]);
    const [unnamed = ''] = await harness.runtime.storeBlobs('s', [Buffer.from('nobody names it')]);
    const parts = [{ type: 'file', blob, mediaType: 'text/plain', bytes: data.length }] as const;
    const pending = harness.runtime.say('s', harness.alice, { text: 'look', parts });
    await harness.clock.advance(1_000);
    const reply = await pending;
    const turn = reply.type === 'turn_opened' ? reply.turn : '';
    const [one, two] = [await fork(harness, { turn }), await fork(harness, { turn })];
    expect(await harness.runtime.readBlob(one.fork, unnamed)).toBeNull();
    expect(await harness.runtime.deleteSession('s', null)).toBe(true);
    expect(await harness.runtime.readBlob('s', blob)).toBeNull();
    expect(await harness.runtime.readBlob(one.fork, blob)).toEqual(new Uint8Array(data));
    expect(await harness.runtime.deleteSession(one.fork, bobCaller)).toBe(true);
    expect(await harness.runtime.readBlob(one.fork, blob)).toBeNull();
    expect(await harness.runtime.readBlob(two.fork, blob)).toEqual(new Uint8Array(data));
    await expect(harness.runtime.forkSession('s', bobCaller, { turn })).rejects.toMatchObject({
      code: 'access_denied',
    });
    await harness.runtime.close();
  });
});

describe('the limits of a fork', () => {
  test.each([
    ['forkFacts', 3],
    ['forkBytes', 200],
  ] as const)('%s refuses by its name, and nothing is made [fork.bounded]', async (name, limit) => {
    const { harness, turn } = await startWithTurn({ limits: { [name]: limit } });
    expect(await harness.runtime.forkSession('s', bobCaller, { turn })).toEqual({
      type: 'fork_too_large',
      limit,
      message: expect.stringContaining(`limits.${name} is ${limit}`),
    });
    expect(await harness.log.listSessions?.(null, 10)).toEqual(['s']);
  });

  test.each([
    ['forkBytes', { forkBytes: 4_000 }, 4_000],
    ['storeBlobBytes', { blobBytes: 8_000, sessionBlobBytes: 8_000, storeBlobBytes: 9_000 }, 9_000],
  ])(
    '%s counts images and files, too: a fork that is too large removes no blob [fork.bounded]',
    async (name, limits, limit) => {
      const harness = await startHarness({ limits });
      const data = Buffer.alloc(5_000, 'x');
      const [blob = ''] = await harness.runtime.storeBlobs('s', [data]);
      const parts = [{ type: 'file', blob, mediaType: 'text/plain', bytes: data.length }] as const;
      const pending = harness.runtime.say('s', harness.alice, { text: 'look', parts });
      await harness.clock.advance(1_000);
      const reply = await pending;
      const turn = reply.type === 'turn_opened' ? reply.turn : '';
      expect(await harness.runtime.forkSession('s', bobCaller, { turn })).toMatchObject({
        type: 'fork_too_large',
        limit,
        message: expect.stringContaining(`limits.${name}`),
      });
      expect(await harness.log.listSessions?.(null, 10)).toEqual(['s']);
      expect(await harness.runtime.readBlob('s', blob)).toEqual(new Uint8Array(data));
    },
  );

  test('a speaker forks as fast as it opens sessions [fork.bounded]', async () => {
    const { harness, turn } = await startWithTurn({ limits: { sessionOpensPerMinute: 2 } });
    const bob = {
      ...callerOf('bob'),
      proof: { speaker: { id: 'bob', roles: ['member'] }, sessions: ['s', 'fork*'] },
    } as const;
    await harness.runtime.forkSession('s', bob, { turn });
    await expect(harness.runtime.forkSession('s', bob, { turn })).rejects.toMatchObject({ code: 'too_many_opens' });
  });
});

test('a fork is as old as its FORK, however old its words are: retention keeps it [fork.whole]', async () => {
  const log = createMemoryLog();
  const { harness, turn } = await startWithTurn({ log, retentionDays: 2 });
  await harness.clock.advance(86_400_000);
  const { fork: id } = await fork(harness, { turn });
  await harness.session.leave(harness.alice.connection, 'left');
  await harness.clock.advance(2.2 * 86_400_000);
  expect(await log.listSessions?.(null, 10)).toEqual([id]);
  await harness.clock.advance(86_400_000);
  expect(await log.listSessions?.(null, 10)).toEqual([]);
});
