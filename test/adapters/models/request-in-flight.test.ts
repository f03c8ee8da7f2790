// The time limit of a silent endpoint: the time of day, set meanwhile, neither ends a response nor hides its silence.
import { expect, test } from 'vitest';
import { RequestInFlight } from '../../../src/adapters/models/request-in-flight.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

const hour = 3_600_000;

test.each([-hour, hour])('a step of %d ms is no silence, and no byte', async (ms) => {
  const clock = createVirtualClock(1_000_000_000_000);
  const { signal: stop } = new AbortController();
  using request = new RequestInFlight(stop, { clock, firstByteMs: 5_000, idleMs: 1_000 });
  request.noteBytes();
  await clock.advance(500);
  request.noteBytes();
  clock.step(ms);
  await clock.advance(999);
  expect(request.timeout).toBeNull();
  expect(request.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(request.timeout).toMatchObject({ message: expect.stringContaining('nothing for 1000 ms') });
  expect(request.signal.aborted).toBe(true);
});
