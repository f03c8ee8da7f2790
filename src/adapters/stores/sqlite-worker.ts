// The thread that owns the SQLite file of a log: takes all requests that wait, and commits their writes together.
//
// A write has its reply after its commit. Reads come after the writes of their group.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { ReadMessage, StoreMessage, StoreReply, WriteMessage } from './sqlite-messages.ts';
import { rejection, SqliteStore } from './sqlite-store.ts';

const maxGroup = 512; // requests that share a transaction

const { path, maker } = workerData as { readonly path: string; readonly maker: string }; // from src/adapters/stores/sqlite.ts
const port = parentPort;
if (!port) throw new Error('This file is the program of a worker thread.');

/** The store; null until a request succeeds in opening it. */
let store: SqliteStore | null = null;

function process(group: readonly StoreMessage[]): StoreReply[] {
  const writes = group.filter((message): message is WriteMessage => message.kind === 'write');
  const reads = group.filter((message): message is ReadMessage => message.kind === 'read');
  try {
    store ??= new SqliteStore(path, maker);
    return store.process(writes, reads);
  } catch (error) {
    return [...writes, ...reads].map(({ id }) => rejection(id, error));
  }
}

/** Does what no request waits for, between the requests. A slice that fails is tried again after the next request. */
function doRest(): void {
  try {
    if (store?.doSlice()) setImmediate(doRest);
  } catch {
    // locked by another process, or full
  }
}

port.on('message', (first: StoreMessage) => {
  const group: StoreMessage[] = [first];
  while (group.length < maxGroup) {
    const next: { readonly message: StoreMessage } | undefined = receiveMessageOnPort(port);
    if (!next) break;
    group.push(next.message);
  }
  const replies = process(group);
  if (replies.length > 0) port.postMessage(replies);
  if (group.every(({ kind }) => kind !== 'close')) {
    // the pause after a portion belongs to other processes
    if (!group.some((message) => message.kind === 'write' && message.request.op === 'addToDraft')) setImmediate(doRest);
    return;
  }
  store?.close();
  store = null;
  port.close(); // nothing else keeps this thread alive
});
