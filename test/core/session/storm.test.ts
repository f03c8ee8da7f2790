// A hundred calls that obey a stop at once, on an event loop that has no time for them: their ends are read one after the other.
import { expect, test } from 'vitest';
import type { ToolEnd } from '../../../src/core/contracts/tool.ts';
import { bobCaller, callsResponse, startHarness, toolOf } from '../../support/harness.ts';

const count = 100;
const calls = Array.from({ length: count / 2 }, (_, n) => ['obedient', { n }] as const);

/** Two turns with fifty calls each, all of which were stopped. `readEnd`: the event loop reads the end of the next one, which has obeyed. */
async function stopStorm() {
  const ends: (() => void)[] = [];
  const obedient = toolOf('obedient', (_, { signal }) => {
    const { promise, resolve } = Promise.withResolvers<ToolEnd>();
    signal.addEventListener('abort', () => ends.push(() => resolve({ kind: 'stopped', output: '' })));
    return promise;
  });
  const harness = await startHarness({
    respond: () => callsResponse(...calls),
    tools: [obedient],
    limits: { fanOut: count / 2, toolCancelMs: 1_500 },
  });
  await harness.say('words');
  await harness.say('words', bobCaller);
  await harness.clock.advance(1_000);
  await harness.cancel({ target: 'session' });
  expect(ends).toHaveLength(count);
  return { harness, readEnd: () => ends.shift()?.() };
}

test.each([1_000, 2_000, 3_000])(
  'none of them is abandoned, when the loop stands still for %d ms and then reads their ends within a second [cancel.bounded] [cancel.settled]',
  async (gap) => {
    const { harness, readEnd } = await stopStorm();
    await harness.clock.jump(gap);
    for (let i = 0; i < count; i++) {
      await harness.clock.jump(10);
      readEnd();
    }
    await harness.clock.advance(100);
    const outcomes = harness.recorder.of('cancel_settled').flatMap(({ nodes }) => nodes.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(Array.from({ length: count + 2 }, () => 'cancelled'));
  },
);
