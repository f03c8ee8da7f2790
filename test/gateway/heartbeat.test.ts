// The heartbeat, under a clock that stands still until it is advanced.
import { describe, expect, test } from 'vitest';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import { Heartbeat, Pulse } from '../../src/gateway/heartbeat.ts';

function setUp() {
  const clock = createVirtualClock();
  const heartbeat = new Heartbeat(clock, 80);
  const addPulse = () => {
    const counts = { pings: 0, closes: 0 };
    const peer = { send() {}, sendSoon() {}, bufferedBytes: 0, ping: () => counts.pings++, close() {}, terminate() {} };
    const pulse = new Pulse(peer, { send: () => counts.closes++ });
    heartbeat.add(pulse);
    return { counts, pulse };
  };
  return { clock, heartbeat, addPulse };
}

describe('a heartbeat', () => {
  test('pings in each interval, and closes the connection when nothing was received since the last ping', async () => {
    const { clock, heartbeat, addPulse } = setUp();
    const { counts, pulse } = addPulse();
    await clock.advance(80);
    expect(counts).toEqual({ pings: 1, closes: 0 });
    pulse.note();
    await clock.advance(80);
    expect(counts).toEqual({ pings: 2, closes: 0 });
    await clock.advance(79);
    expect(counts).toEqual({ pings: 2, closes: 0 });
    await clock.advance(1);
    expect(counts).toEqual({ pings: 2, closes: 1 });
    heartbeat.remove(pulse);
    await clock.advance(1_000);
    expect([counts, clock.pending]).toEqual([{ pings: 2, closes: 1 }, 0]);
  });

  test('spreads the pings of connections that came at different times over the interval', async () => {
    const { clock, addPulse } = setUp();
    const early = addPulse();
    await clock.advance(40);
    const late = addPulse();
    await clock.advance(40);
    expect([early.counts.pings, late.counts.pings]).toEqual([1, 0]);
    await clock.advance(40);
    expect([early.counts.pings, late.counts.pings]).toEqual([1, 1]);
  });

  test('one timer serves all, while there is a connection, and none after the last', () => {
    const { clock, heartbeat, addPulse } = setUp();
    const pulses = [addPulse(), addPulse(), addPulse()];
    expect(clock.pending).toBe(1);
    for (const { pulse } of pulses) heartbeat.remove(pulse);
    expect(clock.pending).toBe(0);
  });
});
