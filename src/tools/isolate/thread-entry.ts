// What runs in the worker thread of an isolated call.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { IsolatedCall, Stop } from './isolate-messages.ts';
import { serveCall } from './serve-call.ts';
import { boundPrinting } from './thread-output.ts';

/** Only the thread that has started a process can reap it: ended by force, it would leave a dead one behind for as long as its host lives. */
const refuse = () => {
  throw new Error('A tool in a thread starts no processes: declare it with the kind `process`.');
};
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  (childProcess as Record<string, unknown>)[name] = refuse;
}
syncBuiltinESMExports();
boundPrinting([process.stdout, process.stderr]);

const stopper = new AbortController();
parentPort?.on('message', ({ stop }: Stop) => stopper.abort(stop));
await serveCall(workerData as IsolatedCall, stopper.signal, (said) => parentPort?.postMessage(said));
