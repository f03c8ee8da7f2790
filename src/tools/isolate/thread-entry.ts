// What runs in the worker thread of an isolated call.
import { parentPort, workerData } from 'node:worker_threads';
import type { IsolatedCall, Stop } from './messages.ts';
import { serveCall } from './serve-call.ts';

const stopper = new AbortController();
parentPort?.on('message', ({ stop }: Stop) => stopper.abort(stop));
await serveCall(workerData as IsolatedCall, stopper.signal, (said) => parentPort?.postMessage(said));
