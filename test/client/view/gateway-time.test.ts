// The ages of what runs at the gateway: over steps of its time of day, after a JOIN in the middle, and at a gateway that does not say them.
import { expect, test } from 'vitest';
import type { ClientState } from '../../../src/client/reconnecting-link.ts';
import { GatewayTime } from '../../../src/client/view/gateway-time.ts';
import type { LiveNode, ServerFrame } from '../../../src/wire/server-frames.ts';

const hour = 3_600_000;

function start() {
  let elapsed = 500;
  let onFrame = (_: ServerFrame) => {};
  let onState = (_: ClientState) => {};
  const time = new GatewayTime(() => elapsed);
  time.connect({
    on(_: string, listener: never) {
      onState = listener;
      return () => {};
    },
  });
  time.follow(
    {
      state: 'joined',
      on: (type: string, listener: never) => {
        if (type === '*') onFrame = listener;
        return () => {};
      },
    },
    { isReplayed: true },
  );
  const fact = (type: 'turn_started' | 'tool_started', node: string, seq: number, at: number) =>
    onFrame({ type, turn: node, node, seq, at } as never);
  return {
    time,
    pass(ms: number) {
      elapsed += ms;
    },
    welcome: (now?: number) => onState({ kind: 'open', welcome: { now } } as never),
    lose: () => onState({ kind: 'reconnecting' } as never),
    joined(seq: number, nodes: readonly Partial<LiveNode>[] = []) {
      onFrame({ type: 'joined', seq, nodes } as never);
    },
    replayed: () => onFrame({ type: 'replayed' } as never),
    fact,
    send: (frame: object) => onFrame(frame as never),
  };
}

test('after a JOIN in the middle a call is as old as the gateway says, and has worked as long as it did not wait [clock.ages]', () => {
  const { time, joined, fact, replayed, pass } = start();
  joined(7, [{ node: 'turn', ageMs: 30_000, waitedMs: 12_000 }, { node: 'call', ageMs: 26_000 }, { node: 'queued' }]);
  fact('tool_started', 'call', 5, 1_000); // it is replayed: its time says nothing
  replayed();
  pass(1_000);
  expect(['turn', 'call', 'queued'].map(time.ageMs)).toEqual([31_000, 27_000, null]);
  expect(['turn', 'call', 'queued'].map(time.workedMs)).toEqual([19_000, 27_000, null]);
  time.addWait('call', 500);
  time.addWait('queued', 500);
  expect(['call', 'queued'].map(time.workedMs)).toEqual([26_500, null]);
});

test('the time is that of the welcome, whatever the clock of this machine says; what starts during the replay is counted from it [clock.ages]', () => {
  const { time, welcome, joined, fact, pass } = start();
  expect(time.now()).toBeNull();
  welcome(940_000);
  joined(3);
  pass(5_000);
  fact('turn_started', 'old', 3, 100_000); // over or not: the JOIN did not say its age
  fact('turn_started', 'new', 4, 943_000);
  expect([time.now(), time.ageMs('new'), time.ageMs('old')]).toEqual([945_000, 2_000, null]);
});

test.each([-24 * hour, -hour, hour, 24 * hour])(
  'a step of %d ms at the gateway changes the age of nothing that runs [clock.steps]',
  (ms) => {
    const { time, welcome, joined, replayed, fact, pass } = start();
    welcome(100 * hour);
    joined(1, [{ node: 'turn', ageMs: 3_000 }]);
    replayed();
    fact('tool_started', 'call', 2, 100 * hour);
    pass(2_000);
    fact('tool_started', 'next', 3, 100 * hour + 2_000 + ms); // the first fact after the step
    pass(4_000);
    expect(['turn', 'call', 'next'].map(time.ageMs)).toEqual([9_000, 6_000, 4_000]);
    expect(time.now()).toBe(100 * hour + 6_000 + ms);
  },
);

test('after an absence everything is as old as the gateway says then: this machine may have slept', () => {
  const { time, welcome, joined, replayed, fact, lose, pass } = start();
  welcome(1_000);
  joined(1);
  replayed();
  fact('tool_started', 'call', 2, 1_000);
  pass(10);
  lose();
  expect([time.now(), time.ageMs('call')]).toEqual([null, null]);
  welcome(hour);
  joined(2, [{ node: 'call', ageMs: hour }]);
  expect([time.now(), time.ageMs('call')]).toEqual([hour, hour]);
});

test('at a gateway that says no ages, what ran before the JOIN has none, until its progress says it [clock.ages]', () => {
  const { time, welcome, joined, replayed, fact, send, pass } = start();
  welcome();
  joined(2, [{ node: 'turn' }, { node: 'call' }]);
  fact('turn_started', 'turn', 1, 1_000);
  fact('tool_started', 'call', 2, 9_000);
  replayed();
  expect([time.now(), time.ageMs('turn'), time.ageMs('call')]).toEqual([null, null, null]);
  send({ type: 'tool_progress', node: 'call', elapsedMs: 25_000 });
  fact('tool_started', 'later', 3, 40_000);
  pass(1_000);
  expect(['turn', 'call', 'later'].map(time.ageMs)).toEqual([null, 26_000, 1_000]);
});
