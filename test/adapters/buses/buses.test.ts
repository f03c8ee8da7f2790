// The buses keep the contract; what was recorded is dropped when it is sent again.
import type { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createChannelBus, createChannelHub, type OwnChannel } from '../../../src/adapters/buses/channel-bus.ts';
import { createLocalBuses } from '../../../src/adapters/buses/local-buses.ts';
import { openMessage, sealMessage } from '../../../src/adapters/buses/message-seal.ts';
import { ReplayGuard } from '../../../src/adapters/buses/replay-guard.ts';
import { TextAssembly } from '../../../src/adapters/buses/text-pieces.ts';
import { createVirtualClock, settlePromises } from '../../../src/core/sources/virtual.ts';
import { busContract } from '../../contract/bus.ts';
import { pairedChannel } from './paired-channel.ts';

const key = 'the key of the cluster in these tests';
const warn = () => {};

busContract('of one process', async () => {
  const buses = createLocalBuses({ key, warn });
  return { connect: async (other) => buses.connect(other) };
});

busContract('between processes', async () => {
  const hub = createChannelHub();
  return {
    connect: async (other) => {
      const { child, own } = pairedChannel();
      hub.connect(child);
      return createChannelBus({ key: other ?? key, warn }, own);
    },
  };
});

test('a process that has exited listens no more, although its channel has not ended [cluster.bus]', async () => {
  const hub = createChannelHub();
  const [asking, dead] = [pairedChannel(), pairedChannel()];
  for (const { child } of [asking, dead]) hub.connect(child);
  createChannelBus({ key, warn }, dead.own).answer('sums', async () => 'never');
  const bus = createChannelBus({ key, warn }, asking.own);
  await settlePromises();
  (dead.child as unknown as EventEmitter).emit('exit');
  expect(await bus.ask('sums', '', 60_000)).toEqual({ type: 'none' });
});

test('a message is opened with its key and subject alone, as it was sealed [cluster.bus.seal]', () => {
  const head = { from: 'a', at: 1, count: 1, kind: 'text', id: '', piece: [0, 1, 1] } as const;
  const carried = sealMessage(key, 'news', head, 'one\ntwo');
  expect(openMessage(key, 'news', carried)).toMatchObject({ head, text: 'one\ntwo' });
  expect(openMessage(`${key}.`, 'news', carried)).toBe(null);
  expect(openMessage(key, 'other', carried)).toBe(null);
  expect(openMessage(key, 'news', carried.replace('two', 'six'))).toBe(null);
  expect(openMessage(key, 'news', carried.replace('"count":1', '"count":2'))).toBe(null);
  expect(openMessage(key, 'news', '')).toBe(null);
  const other = sealMessage(key, 'news', { ...head, version: 2 } as typeof head, 'of a later version');
  expect(openMessage(key, 'news', other)).toBe(null);
});

test('a message counts once, whenever it comes again; an old one of an unknown sender never does [cluster.bus.seal]', () => {
  const clock = createVirtualClock(10_000_000);
  const guard = new ReplayGuard(clock);
  expect(guard.accept('a', 5, clock.now())).toBe(true);
  expect(guard.accept('a', 5, clock.now())).toBe(false);
  expect(guard.accept('a', 4, clock.now())).toBe(true); // late, on another subject
  for (let count = 6; count < 5_000; count++) expect(guard.accept('a', count, clock.now())).toBe(true);
  for (const count of [4, 5, 6, 4_000, 4_999]) expect(guard.accept('a', count, clock.now())).toBe(false);
  expect(guard.accept('b', 1, clock.now() - 3_600_000)).toBe(false);
  clock.step(3_600_000); // an hour: the hosts know each other
  expect(guard.accept('a', 5_000, clock.now() - 3_600_000)).toBe(true);
});

test('a text that comes twice on its way is received once, and one that is lost is not [cluster.bus]', async () => {
  const clock = createVirtualClock();
  const faults = ['twice', 'lost', null, 100] as const;
  let n = 0;
  const buses = createLocalBuses({ key, clock, warn, fault: () => faults[n++] ?? null });
  const [here, there] = [buses.connect(), buses.connect()];
  const heard: string[] = [];
  there.subscribe('news', (text) => void heard.push(text));
  for (const text of ['one', 'two', 'three', 'four']) here.publish('news', text);
  await settlePromises();
  expect(heard).toEqual(['one', 'three']);
  await clock.advance(100);
  expect(heard).toEqual(['one', 'three', 'four']);
});

test('a long text whose end was lost is forgotten with the next one of its sender [cluster.bus]', () => {
  const assembly = new TextAssembly();
  expect(assembly.add('a', [0, 2, 1], 'lo')).toBe(null);
  expect(assembly.add('b', [0, 2, 7], 'an')).toBe(null);
  expect(assembly.size).toBe(2);
  expect(assembly.add('a', [0, 1, 3], 'short')).toBe('short');
  expect(assembly.size).toBe(1);
  expect(assembly.add('a', [1, 2, 1], 'ng')).toBe(null);
  expect(assembly.add('b', [1, 2, 7], 'other')).toBe('another');
  expect(assembly.size).toBe(0);
});

test('questions that were answered are forgotten, whatever is sent between them [cluster.bus]', async () => {
  const { child, own } = pairedChannel();
  const bus = createChannelBus({ key, warn, clock: createVirtualClock() }, own);
  const first = bus.ask('sums', '', 1_000);
  for (let i = 0; i < 10_000; i++) {
    bus.publish('news', '');
    void bus.ask('sums', '', 1_000);
  }
  const firstSent = 2; // after the subject of the replies
  for (const id of [firstSent - 1, firstSent]) child.send({ belayBus: { op: 'nobody', id } }, () => {});
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await bus.close();
  expect(await first).toEqual({ type: 'silent' });
});

test('a short key and a process without a channel are refused by name [cluster.bus.seal]', () => {
  expect(() => createLocalBuses({ key: 'short' })).toThrow('The option key of createLocalBuses must be a secret of 32');
  expect(() => createChannelBus({ key: '' })).toThrow('The option key of createChannelBus');
  const own = { ...pairedChannel().own, connected: false } as OwnChannel;
  expect(() => createChannelBus({ key }, own)).toThrow('needs a process that was started with a channel');
});
