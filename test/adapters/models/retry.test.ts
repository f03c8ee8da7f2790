// The wait before a failed request is sent again.
import { expect, test } from 'vitest';
import {
  firstRetryMs,
  maxRetryAfterMs,
  maxRetryMs,
  retryAfterMs,
  retryDelayMs,
} from '../../../src/adapters/models/retry.ts';
import { createVirtualClock, seededRandom } from '../../../src/core/sources/virtual.ts';

test('the wait doubles up to a limit, and differs between clients', () => {
  const random = seededRandom(3);
  const waits = Array.from({ length: 12 }, (_, retry) => retryDelayMs(retry, null, random) ?? Number.NaN);
  for (const [retry, wait] of waits.entries()) {
    const whole = Math.min(firstRetryMs * 2 ** retry, maxRetryMs);
    expect(wait).toBeGreaterThanOrEqual(whole * 0.75);
    expect(wait).toBeLessThanOrEqual(whole);
  }
  expect(new Set(waits).size).toBe(waits.length);
});

test('the wait that the endpoint asks for is kept up to a limit, and beyond it there is no retry', () => {
  const random = seededRandom(3);
  expect(retryDelayMs(0, 7, random)).toBe(7);
  expect(retryDelayMs(0, maxRetryAfterMs, random)).toBe(maxRetryAfterMs);
  expect(retryDelayMs(0, maxRetryAfterMs + 1, random)).toBeNull();
});

test.each([
  [{}, null],
  [{ 'retry-after': '3' }, 3_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:10 GMT' }, 10_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '' }, null],
  [{ 'retry-after': '-1' }, null],
  [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
] as const)('%j asks for %j ms', (headers, ms) => {
  expect(retryAfterMs(new Headers(headers), createVirtualClock(60_000))).toBe(ms);
});
