// Entry point of the worker thread of an isolated call.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { type IsolatedCall, reasonOf, type StopMessage } from './isolate-messages.ts';
import { serveCall } from './serve-call.ts';
import { limitThreadOutput } from './thread-output.ts';

/** A thread must not start processes. Only the thread that started one can reap it: if the thread is terminated first, a zombie stays until the host exits. */
const refuse = () => {
  throw new Error('A tool in a thread must not start processes: declare it with the kind `process`.');
};
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  (childProcess as Record<string, unknown>)[name] = refuse; // a built-in module's object is writable, its type is not
}
syncBuiltinESMExports();
limitThreadOutput([process.stdout, process.stderr]);

const stopper = new AbortController();
parentPort?.on('message', (message: StopMessage) => stopper.abort(reasonOf(message)));
const call = workerData as IsolatedCall; // given by isolate-thread.ts
await serveCall(call, stopper.signal, (message) => parentPort?.postMessage(message));
