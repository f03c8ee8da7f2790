// The timer of a call that waits for a person: the time of day, set meanwhile, neither ends it nor prolongs it.
import { expect, test } from 'vitest';
import { PausableTimer } from '../../../src/core/live/timers.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

const hour = 3_600_000;

test.each([-hour, hour])('a step of %d ms does not count, pauses neither', async (ms) => {
  const clock = createVirtualClock(1_000_000_000_000);
  let expired = 0;
  const timer = new PausableTimer(clock, 1_000, () => expired++);
  await clock.advance(400);
  clock.step(ms);
  timer.pause();
  await clock.advance(5_000);
  timer.resume();
  await clock.advance(599);
  expect(expired).toBe(0);
  await clock.advance(1);
  expect(expired).toBe(1);
});
