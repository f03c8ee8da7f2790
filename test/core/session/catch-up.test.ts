// The catch-up of a client that joins: no fact is missing or repeated, it waits for a slow reader, and buffers little meanwhile.
import { describe, expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import type { SessionListener } from '../../../src/core/session/api.ts';
import { CatchUp, type CatchUpSource } from '../../../src/core/session/catch-up.ts';
import { seededRandom } from '../../../src/core/sources/virtual.ts';

const usage = { kind: 'unknown', input: null, output: null } as const;
const started = (index: number): RecordedFact => ({ type: 'model_started', turn: 't', index, at: 0 });
const ended = (index: number): RecordedFact => ({
  type: 'model_ended',
  turn: 't',
  index,
  outcome: 'completed',
  text: 'whole',
  cutOff: false,
  usage,
  at: 0,
});

function setUp(facts: RecordedFact[], published = facts.length) {
  let committed = published;
  const received: string[] = [];
  const to: SessionListener = {
    joined() {},
    replayed: () => received.push('replayed'),
    fact: ({ seq }) => received.push(String(seq)),
    text: ({ index, offset, text }) => received.push(`${index}@${offset} ${text}`),
    output: ({ text }) => received.push(`output ${text}`),
    progress() {},
    accepted() {},
    ended: (reason) => received.push(reason),
  };
  const held = new CatchUp(to);
  const options: CatchUpSource = {
    read: async (seq) => facts.slice(seq, seq + 2).map((body, i) => ({ seq: seq + i + 1, epoch: 1, body })),
    committed: () => committed,
    isWanted: () => true,
  };
  return {
    received,
    held,
    to,
    options,
    /** Commits the fact and publishes it. */
    commit(fact: RecordedFact) {
      if (facts.length === committed) facts.push(fact);
      committed += 1;
      held.fact({ seq: committed, fact });
    },
  };
}

describe('a replay', () => {
  test('reads facts that commit meanwhile from the log, and continues with live facts without a gap [ws.resume]', async () => {
    const at = setUp([started(0), started(1), started(2)]);
    let pages = 0;
    const { read } = at.options;
    const done = at.held.replay(0, {
      ...at.options,
      read: (seq) => {
        pages += 1;
        if (pages === 2) at.commit(started(3));
        return read(seq);
      },
    });
    await done;
    at.commit(started(4));
    expect(at.received).toEqual(['1', '2', '3', '4', 'replayed', '5']);
  });

  test('leaves facts that are written and not yet published to the live stream', async () => {
    const at = setUp([started(0), started(1), started(2)], 2);
    await at.held.replay(0, at.options);
    at.commit(started(2));
    expect(at.received).toEqual(['1', '2', 'replayed', '3']);
  });

  test('waits while the reader has no room, and keeps of the streamed text only the open blocks', async () => {
    const at = setUp([started(0), started(1)]);
    let makeRoom = () => {};
    const full = new Promise<void>((resolve) => {
      makeRoom = resolve;
    });
    Object.assign(at.to, { room: () => full });
    const done = at.held.replay(0, at.options);
    await Promise.resolve();
    const text = (index: number, offset: number, words: string) =>
      at.held.text({ turn: 't', index, offset, text: words });
    text(0, 4, 'a');
    text(0, 5, 'b');
    at.held.output({ node: 'c', text: 'shown, not kept' });
    text(1, 0, 'c');
    text(1, 1, 'd');
    at.commit(ended(0));
    expect(at.received).toEqual([]);
    makeRoom();
    await done;
    expect(at.received).toEqual(['1', '2', '3', 'replayed', '1@0 cd']);
  });

  test('reports the end of the session at once', async () => {
    const at = setUp([started(0), started(1), started(2)]);
    const done = at.held.replay(0, { ...at.options, isWanted: () => !at.received.includes('fenced') });
    at.held.ended('fenced');
    await done;
    expect(at.received).toEqual(['fenced']);
  });

  test('stops when the reader has left, and sends nothing more', async () => {
    const at = setUp([started(0), started(1), started(2)]);
    await at.held.replay(0, { ...at.options, isWanted: () => at.received.length < 2 });
    at.held.fact({ seq: 9, fact: started(9) });
    expect(at.received).toEqual(['1', '2']);
  });

  test('sends every fact once and in order, whatever commits in between [ws.resume]', async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const chance = seededRandom(seed);
      const at = setUp(Array.from({ length: Math.floor(chance() * 6) }, (_, i) => started(i)));
      let left = 8;
      const maybe = () => {
        while (left > 0 && chance() < 0.4) {
          left -= 1;
          at.commit(started(100 - left));
        }
      };
      const { read } = at.options;
      const slowly = {
        read: async (seq: number) => {
          maybe();
          const page = await read(seq);
          maybe();
          return page;
        },
      };
      Object.assign(at.to, {
        room: () => (chance() < 0.5 ? null : Promise.resolve().then(maybe)),
      });
      await at.held.replay(0, { ...at.options, ...slowly });
      while (left > 0) {
        left -= 1;
        at.commit(started(100 - left));
      }
      const seqs = at.received.filter((one) => one !== 'replayed').map(Number);
      expect(seqs, `seed ${seed}`).toEqual(seqs.map((_, i) => i + 1));
      expect(at.received.filter((one) => one === 'replayed')).toHaveLength(1);
    }
  });
});
