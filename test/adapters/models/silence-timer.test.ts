// The timer of a silent endpoint: the time of day, set meanwhile, neither ends a response nor hides its silence.
import { expect, test } from 'vitest';
import { SilenceTimer } from '../../../src/adapters/models/silence-timer.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

const hour = 3_600_000;

test.each([-hour, hour])('a step of %d ms is no silence, and no byte', async (ms) => {
  const clock = createVirtualClock(1_000_000_000_000);
  const reports: string[] = [];
  using timer = new SilenceTimer({ clock, firstByteMs: 5_000, idleMs: 1_000, onSilent: (text) => reports.push(text) });
  timer.noteBytes();
  await clock.advance(500);
  timer.noteBytes();
  clock.step(ms);
  await clock.advance(999);
  expect(reports).toEqual([]);
  await clock.advance(1);
  expect(reports).toEqual([expect.stringContaining('nothing for 1000 ms')]);
});
