// The log of a process whose parent has the store keeps the contract; several processes share one thread, and none of them waits for an answer that cannot come.
import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import {
  createRemoteLog,
  createStoreHub,
  type StoreClient,
  type StoreHub,
} from '../../../src/adapters/stores/remote-log.ts';
import { startStoreThread } from '../../../src/adapters/stores/sqlite-thread.ts';
import { HeldElsewhere, type Log, StoreFailed } from '../../../src/core/contracts/log.ts';
import { blobContract } from '../../contract/blobs.ts';
import { logContract } from '../../contract/log.ts';
import { retentionContract } from '../../contract/retention.ts';
import { sessionSearchContract } from '../../contract/session-search.ts';
import { newStorePath } from '../../support/store-path.ts';
import { pairedChannel } from '../buses/paired-channel.ts';

const onFailure = (error: unknown) => {
  throw error;
};

function newHub(): StoreHub {
  const hub = createStoreHub(startStoreThread(newStorePath()), onFailure);
  onTestFinished(() => hub.close());
  return hub;
}

function connect(hub: StoreHub) {
  const { child, own } = pairedChannel();
  hub.connect(child);
  const disconnect = () => void (own as unknown as EventEmitter).emit('disconnect'); // as pairedChannel makes it
  return { log: createRemoteLog(own), disconnect };
}

/** Opens a log that closes with its hub. */
function open(): Log {
  const hub = createStoreHub(startStoreThread(newStorePath()), onFailure);
  const { log } = connect(hub);
  const close = () => log.close().then(() => hub.close());
  return new Proxy(log, {
    get(target, name) {
      const value: unknown = name === 'close' ? close : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

logContract('of the parent', async () => open());
sessionSearchContract('of the parent', async () => open());
blobContract('of the parent', async () => {
  const log = open();
  if (!log.blobs) throw new Error('The log of the parent has a blob store.');
  return { blobs: log.blobs, close: () => log.close() };
});
retentionContract('of the parent', open);

const said = (text: string) => ({ type: 'said', text });

test('processes append to one store, each to its sessions, and a session has one holder [store.durable.holder]', async () => {
  const hub = newHub();
  const [{ log: a }, { log: b }] = [connect(hub), connect(hub)];
  await Promise.all(
    [a, b].map((log, i) => log.startLease({ id: `host ${i}`, name: `host ${i}`, process: null }, 60_000)),
  );
  await a.claim('of a', 0, 'host 0');
  await b.claim('of b', 0, 'host 1');
  const appends = Array.from({ length: 50 }, (_, i) => [
    a.append('of a', 1, i, [said(`a ${i}`)]),
    b.append('of b', 1, i, [said(`b ${i}`)]),
  ]);
  await Promise.all(appends.flat());
  expect((await b.read('of a', 0)).map(({ body }) => body)).toEqual(
    Array.from({ length: 50 }, (_, i) => said(`a ${i}`)),
  );
  await expect(b.claim('of a', 1, 'host 1')).rejects.toThrow(HeldElsewhere);
});

test('a session that one process makes is its own, whoever has started a lease after it [fork.whole]', async () => {
  const hub = newHub();
  const [{ log: a }, { log: b }] = [connect(hub), connect(hub)];
  const blobs = { from: 'other', ids: [], limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 } };
  const bodies = Array.from({ length: 2_000 }, (_, i) => said(`word ${i}`));
  await a.startLease({ id: 'a', name: 'a', process: null }, 60_000);
  const making = a.createSession?.('fork', bodies, blobs);
  await b.startLease({ id: 'b', name: 'b', process: null }, 60_000);
  await expect(b.createSession?.('fork', [said('another')], blobs)).rejects.toThrow(HeldElsewhere);
  await b.endLease('b'); // that of a makes it on
  await making;
  expect(await b.head('fork')).toMatchObject({ last: 2_000, holder: null });
});

test('when the parent is gone, or has closed the store, every request is rejected [store.durable]', async () => {
  const hub = newHub();
  const [{ log: a, disconnect }, { log: b }] = [connect(hub), connect(hub)];
  await a.claim('s', 0, 'host');
  const inFlight = a.head('s');
  disconnect();
  await expect(inFlight).rejects.toThrow(StoreFailed);
  await expect(a.append('s', 1, 0, [said('late')])).rejects.toThrow(StoreFailed);
  const closed = hub.close();
  await expect(b.claim('t', 0, 'host').then(() => b.head('t'))).rejects.toThrow(StoreFailed);
  await closed;
  expect(a.failures).toBe(0);
});

test('a process that connects after the store was closed is told so by its first request [store.durable]', async () => {
  const hub = createStoreHub(startStoreThread(newStorePath()), onFailure);
  await hub.close();
  await expect(connect(hub).log.head('s')).rejects.toThrow(StoreFailed);
});

test('a process that could not be started, or has exited without the end of its channel, does not keep the store from closing [store.durable]', async () => {
  const hub = newHub();
  const withoutChannel = Object.assign(new EventEmitter(), { connected: false }) as EventEmitter & StoreClient; // as Node leaves it
  hub.connect(withoutChannel);
  const { child } = pairedChannel();
  const sent: unknown[] = [];
  const exited = Object.assign(child, { send: (message: object) => sent.push(message) > 0 });
  hub.connect(exited);
  (child as unknown as EventEmitter).emit('exit');
  await hub.close();
  expect(sent).toEqual([]);
});

test('a failure of the thread is reported, and rejects every request [store.durable]', async () => {
  const thread = Object.assign(new EventEmitter(), { postMessage() {}, ref() {}, unref() {} });
  const failures: unknown[] = [];
  const { log } = connect(createStoreHub(thread, (error) => failures.push(error)));
  const inFlight = log.head('s');
  const failure = new Error('The heap is full.');
  thread.emit('error', failure);
  thread.emit('exit');
  await expect(inFlight).rejects.toThrow(StoreFailed);
  expect(failures).toEqual([failure]);
});
