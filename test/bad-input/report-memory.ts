// Preloaded into the gateway that is attacked: for each line of its input it prints the memory in use
// after a collection, in MiB. With LEAK set it keeps
// every byte that a socket receives: a test of the bound itself.
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { heapMB } from '../support/leaks.ts';

let reports = 0;

async function report(): Promise<void> {
  const heap = await heapMB();
  const { external } = process.memoryUsage();
  process.stderr.write(`memory ${++reports}: ${(heap + external / 2 ** 20).toFixed(2)}\n`);
}

if (isMainThread) {
  process.stdin.on('data', () => void report());
  process.stdin.on('error', () => {});
  (process.stdin as Partial<Socket>).unref?.(); // a pipe is a socket, and must not keep the gateway alive
}

if (process.env['LEAK'] !== undefined) {
  const kept: Uint8Array[] = [];
  const push = Socket.prototype.push;
  Socket.prototype.push = function (chunk, ...more) {
    if (chunk instanceof Uint8Array) kept.push(Uint8Array.from(chunk));
    return push.call(this, chunk, ...more);
  };
}
