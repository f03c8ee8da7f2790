// The process of a worker, as its parent has it.
import { type ChildProcess, fork } from 'node:child_process';
import module from 'node:module';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../core/sources/sources.ts';
import type { ToWorker, WorkerMessage } from './worker-parts.ts';

/** How long the channel of a dead worker is read, in milliseconds. */
const readMs = 200;
/** From the end of its channel to the exit of a worker, in milliseconds. */
const exitMs = 1_000;

/** Beside this file, under the same ending: `.js` once it is built. */
const program = fileURLToPath(new URL(`./worker-program${extname(import.meta.url)}`, import.meta.url));

/** Starts a process. Throws, or lets it emit `error`, if the system has none to give. */
export const forkWorker = (): ChildProcess =>
  fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: environmentOfWorker() });

/** The compile cache of this process is that of its workers. */
function environmentOfWorker(): NodeJS.ProcessEnv {
  const folder = module.getCompileCacheDir();
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

/** A worker that dies meanwhile receives nothing. */
export function sendToWorker(child: ChildProcess, message: ToWorker): void {
  const carried: WorkerMessage<ToWorker> = { belayWorker: message };
  if (child.connected) child.send(carried, () => {});
}

/**
 * Resolves when a process is dead and its channel is read to the end, or when it could not be started. Node does not say `disconnect` of a channel on which a connection was being handed over: it is
 * closed here then.
 */
export function untilGone(child: ChildProcess, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDead = false;
  child.once('exit', () => {
    isDead = true;
    if (!child.connected) return resolve();
    clock.after(readMs, () => {
      if (child.connected) child.disconnect();
      resolve();
    });
  });
  child.once('disconnect', () => {
    if (isDead) resolve();
    else clock.after(exitMs, () => child.kill('SIGKILL')); // without its channel it is of no use
  });
  child.on('error', () => {
    if (child.pid === undefined) resolve();
    else child.kill('SIGKILL');
  });
  return promise;
}
