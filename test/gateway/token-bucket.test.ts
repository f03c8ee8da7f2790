// The token bucket and the heartbeat, under a clock that stands still until it is told.
import { describe, expect, test } from 'vitest';
import { startHeartbeat } from '../../src/gateway/heartbeat.ts';
import { createBucket } from '../../src/gateway/token-bucket.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';

describe('a bucket', () => {
  test('gives its burst at once, then so many a second, and never more than the burst', async () => {
    const clock = createVirtualClock();
    const bucket = createBucket(clock, { perSecond: 2, burst: 3 });
    const takeAll = () => {
      let taken = 0;
      while (bucket.take()) taken++;
      return taken;
    };
    expect(takeAll()).toBe(3);
    await clock.advance(499);
    expect(takeAll()).toBe(0);
    await clock.advance(1);
    expect(takeAll()).toBe(1);
    await clock.advance(60_000);
    expect(takeAll()).toBe(3);
  });

  test('a clock that goes back fills nothing', () => {
    let now = 10_000;
    const bucket = createBucket({ now: () => now, after: () => () => {} }, { perSecond: 1_000, burst: 1 });
    expect(bucket.take()).toBe(true);
    now = 0;
    expect(bucket.take()).toBe(false);
  });
});

describe('a heartbeat', () => {
  test('pings in each interval, and gives up when nothing came since the last ping', async () => {
    const clock = createVirtualClock();
    let pings = 0;
    let losses = 0;
    const heartbeat = startHeartbeat(clock, 100, { ping: () => pings++, lost: () => losses++ });
    await clock.advance(100);
    expect([pings, losses]).toEqual([1, 0]);
    heartbeat.sign();
    await clock.advance(100);
    expect([pings, losses]).toEqual([2, 0]);
    await clock.advance(1_000);
    expect([pings, losses, clock.pending]).toEqual([2, 1, 0]);
  });

  test('leaves no timer behind', () => {
    const clock = createVirtualClock();
    startHeartbeat(clock, 100, { ping() {}, lost() {} }).stop();
    expect(clock.pending).toBe(0);
  });
});
