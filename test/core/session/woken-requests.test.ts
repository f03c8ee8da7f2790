// Random conversations with moments of rest: the next request does not depend on whether the session was asleep before it.
// FUZZ_ROUNDS=2000 for a long run, FUZZ_SEED=17 for one round.
import { expect, test, vi } from 'vitest';
import type { LiveTree } from '../../../src/core/live/tree.ts';
import { playWithRests } from '../../support/woken-session.ts';

const made = vi.hoisted(() => ({ trees: [] as LiveTree[] }));
vi.mock('../../../src/core/live/tree.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/live/tree.ts')>();
  class LiveTree extends real.LiveTree {
    constructor() {
      super();
      made.trees.push(this);
    }
  }
  return { ...real, LiveTree };
});

const only = process.env['FUZZ_SEED'];
const rounds = only ? 1 : Number(process.env['FUZZ_ROUNDS'] ?? 25);

/** What a run must have met before a comparison at least once. */
const cases = ['turns_left_out', 'history_compacted', 'input_settled', 'acknowledged', 'session_recovered', 'resumed'];

test(`in ${rounds} random conversations a session that wakes up sends what one that stayed awake does [history.overlap]`, {
  timeout: 600_000,
}, async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // XState warns of events to machines that threw
  const met = new Set<string>();
  for (let i = 0; i < rounds; i++) {
    made.trees.length = 0;
    const seed = only ? Number(only) : i + 1;
    for (const { rest, awake, woken, lastWords, ...one } of await playWithRests(seed, made)) {
      expect(woken, `seed ${seed}, rest ${rest}: woken, against awake`).toEqual(awake);
      if (lastWords !== null)
        expect(JSON.stringify(awake), `seed ${seed}, rest ${rest}: the last turn`).toContain(lastWords);
      for (const what of one.met) met.add(what);
      if (JSON.stringify(awake).includes('asked to take up again')) met.add('resumed');
    }
  }
  if (!only)
    expect(
      cases.filter((what) => !met.has(what)),
      'cases that no conversation has met',
    ).toEqual([]);
});
