// Lanes: the turns of one speaker follow each other, the next one after the commit of the one before.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { type Harness, startHarness } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

test.each([
  { name: 'that has completed', end: () => {} },
  {
    name: 'that was cancelled',
    end: (harness: Harness, turn: string) => void harness.session.cancel(harness.alice, { target: turn }),
  },
])('a turn starts after the commit of the closing of the turn before, $name [store.durable]', async ({ end }) => {
  const hold = holdAppend((types) => types.includes('turn_ended'));
  const harness = await startHarness({ log: hold.wrap(createMemoryLog()) });
  const first = await harness.say('first');
  const second = await harness.say('second');
  end(harness, first);
  await harness.clock.advance(2_000);
  await hold.reached;
  const started = () => harness.recorder.of('turn_started').map(({ turn }) => turn);
  expect([started(), harness.provider.requests.length]).toEqual([[first], 1]);
  hold.release();
  await harness.clock.advance(1_000);
  expect([started(), harness.provider.requests.length]).toEqual([[first, second], 2]);
  expect(harness.endOf(second)?.outcome).toBe('completed');
  const { facts } = harness.recorder;
  const endOfFirst = facts.findIndex((fact) => fact.type === 'turn_ended' && fact.turn === first);
  expect(endOfFirst).toBeLessThan(facts.findIndex((fact) => fact.type === 'turn_started' && fact.turn === second));
  expect(facts.find((fact) => fact.type === 'turn_started' && fact.turn === second)?.at).toBeGreaterThanOrEqual(2_000);
});
