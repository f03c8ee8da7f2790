// The token bucket, under a clock that stands still until it is advanced.
import { describe, expect, test } from 'vitest';
import { TokenBucket } from '../../src/sources/token-bucket.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';

describe('a bucket', () => {
  test('gives its burst at once, then so many a second, and never more than the burst', async () => {
    const clock = createVirtualClock();
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 3 });
    const spendAll = () => {
      let spent = 0;
      while (bucket.spend()) spent++;
      return spent;
    };
    expect(spendAll()).toBe(3);
    await clock.advance(499);
    expect(spendAll()).toBe(0);
    await clock.advance(1);
    expect(spendAll()).toBe(1);
    await clock.advance(60_000);
    expect(spendAll()).toBe(3);
  });

  test('a clock that goes back fills nothing, and does not lock the bucket either', () => {
    let now = 10_000;
    const bucket = new TokenBucket({ now: () => now, after: () => () => {} }, { perSecond: 1_000, burst: 1 });
    expect(bucket.spend()).toBe(true);
    now = 0;
    expect(bucket.spend()).toBe(false);
    now = 1;
    expect(bucket.spend()).toBe(true);
  });
});
