// XState remembers each type of event that a chart has met, for as long as the process lives: so their number must not grow with use.
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../src/model/provider.ts';
import { collectRecords, createObservedWorld } from '../inspector/observed.ts';
import { asks, says } from '../support/world.ts';

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

test('a second turn like the first brings no new type of event to any machine [cancel.clean]', async () => {
  const respond = ({ messages }: ModelRequest) => {
    const last = messages.at(-1);
    if (last?.role !== 'user') return says('done');
    const delegations = [
      ['spawn_agent', { task: 'one' }],
      ['spawn_agent', { task: 'beside', detached: true }],
    ] as const;
    return last.content.includes('turn') ? asks(['wait'], ['deaf'], ...delegations) : asks(['wait'], ['note']);
  };
  const world = await createObservedWorld({ agents, respond });
  const heard = collectRecords(world.inspector);
  const cancelledTurn = async (text: string) => {
    const turn = await world.say(text);
    await world.clock.advance(50);
    await world.cancel({ target: 'session' });
    await world.clock.advance(60_000);
    expect(world.end(turn)?.outcome).toBe('cancelled');
    return new Set(heard.events().map(({ event }) => event));
  };
  const first = await cancelledTurn('first turn');
  expect(first).toContain('xstate.done.actor.call.0');
  const second = await cancelledTurn('second turn');
  expect([...second].filter((type) => !first.has(type))).toEqual([]);
});
