// The wait before the next start of a server, also when the time of day is set meanwhile.
import { expect, test } from 'vitest';
import { RestartBackoff } from '../../../src/core/sources/restart-backoff.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

const hour = 3_600_000;

test.each([-hour, hour])('a step of the clock by %d ms neither delays a start nor allows it early', async (ms) => {
  const clock = createVirtualClock(1_000_000_000_000);
  const backoff = new RestartBackoff(clock, { restartMinMs: 500, restartMaxMs: 4_000 });
  backoff.noteFailure();
  clock.step(ms);
  expect(backoff.waitMs).toBe(500);
  await clock.advance(500);
  expect(backoff.waitMs).toBe(0);
});
