// The session decides once for each CANCEL: its rule of standing is asked once for each live node.
import { expect, test } from 'vitest';
import type { Standing } from '../../machines/standing.ts';
import { createWorld, memberOf, once } from '../support/world.ts';

test.each([true, false])('a rule that gives standing (%s) is asked once for each node [owner.guard]', async (may) => {
  const asked: string[] = [];
  const standing: Standing = (node) => {
    asked.push(node.id);
    return may ? { may, because: 'policy' } : { may, because: 'not_allowed' };
  };
  const world = await createWorld({
    respond: once(['wait'], ['wait', { ms: 2_000 }]),
    session: () => ({ standing }),
  });
  const turn = await world.say('words');
  await world.clock.advance(20);
  const reply = await world.cancel({ target: turn }, memberOf('bob'));
  expect(reply.type).toBe(may ? 'cancel_accepted' : 'cancel_refused');
  expect(asked.toSorted()).toEqual([turn, world.call('wait'), world.call('wait', 1)].toSorted());
});
