// The session decides once for each CANCEL: it calls its rule of standing once for each live node.
import { expect, test } from 'vitest';
import type { StandingRule } from '../../../machines/standing.ts';
import { callerOf, callsOnce, startHarness } from '../../support/harness.ts';

test.each([true, false])('a rule that gives standing (%s) is called once for each node [owner.guard]', async (may) => {
  const judged: string[] = [];
  const standing: StandingRule = (node) => {
    judged.push(node.id);
    return may ? { may, because: 'policy' } : { may, because: 'not_allowed' };
  };
  const harness = await startHarness({
    respond: callsOnce(['wait'], ['wait', { ms: 2_000 }]),
    session: () => ({ standing }),
  });
  const turn = await harness.say('words');
  await harness.clock.advance(20);
  const reply = await harness.cancel({ target: turn }, callerOf('bob'));
  expect(reply.type).toBe(may ? 'cancel_accepted' : 'cancel_refused');
  expect(judged.toSorted()).toEqual([turn, harness.callNamed('wait'), harness.callNamed('wait', 1)].toSorted());
});
