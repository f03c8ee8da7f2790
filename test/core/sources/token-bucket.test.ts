// The token bucket, under a clock that stands still until it is advanced.
import { describe, expect, test } from 'vitest';
import { TokenBucket } from '../../../src/core/sources/token-bucket.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

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

  test('gives back what was spent for nothing, and never more than its burst', async () => {
    const clock = createVirtualClock();
    const bucket = new TokenBucket(clock, { perSecond: 1, burst: 2 });
    expect([bucket.spend(), bucket.spend(), bucket.spend()]).toEqual([true, true, false]);
    bucket.giveBack();
    expect([bucket.spend(), bucket.spend()]).toEqual([true, false]);
    await clock.advance(60_000);
    bucket.giveBack();
    expect([bucket.spend(), bucket.spend(), bucket.spend()]).toEqual([true, true, false]);
  });

  const hour = 3_600_000;
  test.each([-24 * hour, -hour, hour, 24 * hour])(
    'loses and gains no token when the time of day is set by %d ms [http.api.limits.clock]',
    async (ms) => {
      const clock = createVirtualClock(1_000_000_000_000);
      const rate = { perSecond: 1, burst: 3 };
      const [full, used, empty] = [
        new TokenBucket(clock, rate),
        new TokenBucket(clock, rate),
        new TokenBucket(clock, rate),
      ];
      full.spend();
      await clock.advance(1_000);
      for (const tokens of [1, 1]) used.spend(tokens);
      empty.spend(3);
      clock.step(ms);
      expect([full.has(), used.has(), empty.has()]).toEqual([true, true, false]);
      expect([full.spend(3), used.spend(2), used.spend(), empty.spend()]).toEqual([true, false, true, false]);
      await clock.advance(1_000);
      expect([full.has(), used.has(), empty.has()]).toEqual([true, true, true]);
    },
  );
});
