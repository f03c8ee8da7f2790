// The lag of the event loop, over two windows of intervals.
import { expect, test } from 'vitest';
import { EventLoopLag } from '../../../src/core/sources/event-loop-lag.ts';
import { readEventLoopLag } from '../../../src/core/sources/system.ts';
import { until } from '../../support/until.ts';

/** Intervals in milliseconds, as a histogram has them. */
function histogram() {
  let all: number[] = [];
  return {
    add: (...ms: readonly number[]) => void all.push(...ms),
    get count() {
      return all.length;
    },
    get mean() {
      return (all.reduce((sum, ms) => sum + ms, 0) / all.length) * 1e6;
    },
    get max() {
      return Math.max(0, ...all) * 1e6;
    },
    reset() {
      all = [];
    },
  };
}

test('the interval itself is no lag, and what comes early is none either [tool.status]', () => {
  const intervals = histogram();
  const lag = new EventLoopLag(intervals, 20);
  expect(lag.read()).toEqual({ lagMs: 0, worstLagMs: 0 });
  intervals.add(20, 20.2, 19.5);
  expect(lag.read()).toEqual({ lagMs: 0, worstLagMs: 0 });
  intervals.add(24.3);
  expect(lag.read()).toEqual({ lagMs: 1, worstLagMs: 4 });
});

test('it is of the last whole window and the one under way, and forgotten after that [tool.status]', () => {
  const intervals = histogram();
  const lag = new EventLoopLag(intervals, 20);
  intervals.add(20, 3_020);
  expect(lag.read()).toEqual({ lagMs: 1_500, worstLagMs: 3_000 });
  lag.startWindow();
  expect(lag.read(), 'nothing is new').toEqual({ lagMs: 1_500, worstLagMs: 3_000 });
  intervals.add(20, 20, 20, 20);
  expect(lag.read()).toEqual({ lagMs: 500, worstLagMs: 3_000 });
  lag.startWindow();
  expect(lag.read()).toEqual({ lagMs: 0, worstLagMs: 0 });
});

test('of this process: next to nothing while it idles, and what has blocked it shows [tool.status]', async () => {
  readEventLoopLag(); // starts the measurement
  const began = performance.now();
  await until(() => performance.now() > began + 100, { what: 'its first intervals' });
  await until(() => readEventLoopLag().lagMs < 20, { what: 'a mean that is less than its interval' });
  const blockMs = 1.5 * readEventLoopLag().worstLagMs + 300; // a histogram rounds
  const free = performance.now() + blockMs;
  while (performance.now() < free);
  await until(() => readEventLoopLag().worstLagMs >= 0.9 * blockMs, { what: 'the block' });
});
