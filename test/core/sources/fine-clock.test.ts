// A clock with parts of milliseconds that stays within the millisecond of the time of day.
import { expect, test } from 'vitest';
import { createFineClock } from '../../../src/core/sources/fine-clock.ts';

test('parts of a millisecond are distinguished within the millisecond of the coarse clock, also after that is set anew', () => {
  let [day, running] = [1_000.4, 50.4];
  const clock = createFineClock({ coarse: () => Math.floor(day), running: () => running });
  const pass = (ms: number) => {
    day += ms;
    running += ms;
    return clock.now();
  };
  const times = Array.from({ length: 50 }, () => pass(0.13));
  for (const [i, at] of times.entries()) expect(at).toBeGreaterThanOrEqual(times[i - 1] ?? 0);
  expect(new Set(times).size).toBeGreaterThan(40);
  expect(Math.floor(clock.now())).toBe(Math.floor(day));

  day += 3_600_000; // a suspended host
  expect(Math.floor(clock.now())).toBe(Math.floor(day));
  day -= 7_200_000; // the time of day is corrected
  expect(Math.floor(clock.now())).toBe(Math.floor(day));
  expect(pass(0.2)).toBeLessThan(day + 1);
});
