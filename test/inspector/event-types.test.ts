// The number of event types does not grow with use: XState keeps each type that a chart has received for the life of the process.
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import { callsResponse, textResponse } from '../support/harness.ts';
import { collectRecords, startObservedHarness } from './observed.ts';

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

test('a second turn like the first sends no new type of event to any machine [cancel.clean]', async () => {
  const respond = ({ messages }: ModelRequest) => {
    const last = messages.at(-1);
    if (last?.role !== 'user') return textResponse('done');
    const delegations = [
      ['spawn_agent', { task: 'one' }],
      ['spawn_agent', { task: 'beside', detached: true }],
    ] as const;
    return last.content.includes('turn')
      ? callsResponse(['wait'], ['ignores_signal'], ...delegations)
      : callsResponse(['wait'], ['note']);
  };
  const harness = await startObservedHarness({ agents, respond });
  const records = collectRecords(harness.inspector);
  const cancelledTurn = async (text: string) => {
    const turn = await harness.say(text);
    await harness.clock.advance(50);
    await harness.cancel({ target: 'session' });
    await harness.clock.advance(60_000);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    return new Set(records.events().map(({ event }) => event));
  };
  const first = await cancelledTurn('first turn');
  expect(first).toContain('xstate.done.actor.call.0');
  const second = await cancelledTurn('second turn');
  expect([...second].filter((type) => !first.has(type))).toEqual([]);
});
