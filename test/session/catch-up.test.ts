// Bringing one who joins up to date: nothing missing, nothing twice, at the reader's pace, and little kept meanwhile.
import { describe, expect, test } from 'vitest';
import type { Recorded } from '../../machines/facts.ts';
import type { SessionListener } from '../../src/session/api.ts';
import { CatchUp, type CatchUpSource } from '../../src/session/catch-up.ts';
import { seededRandom } from '../../src/sources/virtual.ts';

const usage = { kind: 'unknown', input: null, output: null } as const;
const started = (index: number): Recorded => ({ type: 'model_started', turn: 't', index, at: 0 });
const ended = (index: number): Recorded => ({
  type: 'model_ended',
  turn: 't',
  index,
  outcome: 'completed',
  text: 'whole',
  cutOff: false,
  usage,
  at: 0,
});

function setUp(facts: Recorded[], told = facts.length) {
  let committed = told;
  const heard: string[] = [];
  const to: SessionListener = {
    joined() {},
    replayed: () => heard.push('replayed'),
    fact: ({ seq }) => heard.push(String(seq)),
    text: ({ index, offset, text }) => heard.push(`${index}@${offset} ${text}`),
    output: ({ text }) => heard.push(`output ${text}`),
    progress() {},
    accepted() {},
    ended: (reason) => heard.push(reason),
  };
  const held = new CatchUp(to);
  const options: CatchUpSource = {
    read: async (seq) => facts.slice(seq, seq + 2).map((body, i) => ({ seq: seq + i + 1, epoch: 1, body })),
    committed: () => committed,
    isWanted: () => true,
  };
  return {
    heard,
    held,
    to,
    options,
    /** It commits, and is told to all. */
    commit(fact: Recorded) {
      if (facts.length === committed) facts.push(fact);
      committed += 1;
      held.fact({ seq: committed, fact });
    },
  };
}

describe('a replay', () => {
  test('brings what commits meanwhile from the log, and goes over to live without a gap [ws.resume]', async () => {
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
    expect(at.heard).toEqual(['1', '2', '3', '4', 'replayed', '5']);
  });

  test('leaves what is written and not told yet to the live ones', async () => {
    const at = setUp([started(0), started(1), started(2)], 2);
    await at.held.replay(0, at.options);
    at.commit(started(2));
    expect(at.heard).toEqual(['1', '2', 'replayed', '3']);
  });

  test('waits for room, and keeps of what streams only what is still open', async () => {
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
    expect(at.heard).toEqual([]);
    makeRoom();
    await done;
    expect(at.heard).toEqual(['1', '2', '3', 'replayed', '1@0 cd']);
  });

  test('that the end of the session comes into says so at once', async () => {
    const at = setUp([started(0), started(1), started(2)]);
    const done = at.held.replay(0, { ...at.options, isWanted: () => !at.heard.includes('fenced') });
    at.held.ended('fenced');
    await done;
    expect(at.heard).toEqual(['fenced']);
  });

  test('of one who is gone ends, and tells nothing more', async () => {
    const at = setUp([started(0), started(1), started(2)]);
    await at.held.replay(0, { ...at.options, isWanted: () => at.heard.length < 2 });
    at.held.fact({ seq: 9, fact: started(9) });
    expect(at.heard).toEqual(['1', '2']);
  });

  test('whatever commits in between, every fact is told once and in order [ws.resume]', async () => {
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
      const seqs = at.heard.filter((one) => one !== 'replayed').map(Number);
      expect(seqs, `seed ${seed}`).toEqual(seqs.map((_, i) => i + 1));
      expect(at.heard.filter((one) => one === 'replayed')).toHaveLength(1);
    }
  });
});
