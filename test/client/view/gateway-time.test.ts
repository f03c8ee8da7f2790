// The ages of what happens at the gateway, over steps of its time of day and from a replay.
import { expect, test } from 'vitest';
import { GatewayTime } from '../../../src/client/view/gateway-time.ts';

const hour = 3_600_000;

function start() {
  let elapsed = 500;
  const time = new GatewayTime(() => elapsed);
  return {
    time,
    pass(ms: number) {
      elapsed += ms;
    },
  };
}

test('the time is that of the gateway, although the clock of this machine is another one', () => {
  const { time, pass } = start();
  expect([time.now(), time.ageMs(940_000)]).toEqual([null, 0]);
  time.observe(100_000, 'replayed'); // a replayed fact is old
  time.observe(940_000, 'replayed');
  time.observe(200_000, 'replayed'); // of another session
  expect(time.now()).toBe(940_000);
  pass(5_000);
  expect([time.now(), time.ageMs(100_000), time.ageMs(2_000_000)]).toEqual([945_000, 845_000, 0]);
  time.observe(1_000_000, 'live');
  time.observe(5_000_000, 'replayed');
  expect([time.now(), time.ageMs(940_000)]).toEqual([1_000_000, 60_000]);
});

test.each([-24 * hour, -hour, hour, 24 * hour])(
  'a step of %d ms at the gateway changes the age of nothing that runs [clock.steps]',
  (ms) => {
    const { time, pass } = start();
    time.observe(100 * hour, 'replayed');
    pass(1_000);
    time.observe(100 * hour + 3_000, 'live'); // it starts
    pass(2_000);
    expect(['replayed', 'live'].map((_, i) => time.ageMs(100 * hour + i * 3_000))).toEqual([5_000, 2_000]);
    time.observe(100 * hour + 5_000 + ms, 'live'); // the first fact after the step
    pass(4_000);
    expect(time.ageMs(100 * hour)).toBe(9_000);
    expect(time.ageMs(100 * hour + 3_000)).toBe(6_000);
    expect(time.ageMs(100 * hour + 5_000 + ms)).toBe(4_000);
  },
);

test('what comes back after an absence is as old as the gateway says', () => {
  const { time, pass } = start();
  time.observe(1_000, 'live');
  pass(10);
  time.forget();
  expect(time.now()).toBeNull();
  time.observe(1_000, 'replayed');
  time.observe(hour, 'live');
  expect(time.ageMs(1_000)).toBe(hour - 1_000);
});
