// A call in a worker thread. It is asked to stop, and terminated past the grace: a loop that blocks it holds up nobody else.
//
// A thread that is blocked in the system, not in JavaScript, ends when that does; until then the call has not ended, and that is what is
// said of it. What must be ended whatever it does, or starts processes, belongs in a process.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { collectOutput } from '../../process/process-output.ts';
import { markerName } from '../../process/process-table.ts';
import { terminateFamily } from '../../process/terminate.ts';
import type { Clock } from '../../sources/sources.ts';
import { type IsolatedCall, type IsolateEnd, parseIsolateMessage, type Stop } from './isolate-messages.ts';
import { createLiveMeter, maxLiveChars } from './live-output-limit.ts';

export interface IsolateOptions {
  readonly signal: AbortSignal;
  /** Skips the grace. */
  readonly kill: AbortSignal;
  readonly clock: Clock;
  /** From the request to stop to the end by force, in milliseconds. */
  readonly termGraceMs: number;
  /** Of its heap, in MiB. */
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  onOutput(text: string): void;
  onStarted(started: { readonly group: number; readonly startTime: string }): void;
}

/** The same file name under another ending, once it is built. */
const entry = new URL(`./thread-entry${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

export const printedLimits = { maxChars: 4_096, maxLiveChars };
const stackMb = 4;

/** Resolves when the thread is gone. Rejects where the arguments cannot be handed over. */
export async function runInThread(call: IsolatedCall, options: IsolateOptions): Promise<IsolateEnd> {
  const { signal, kill, clock, termGraceMs, memoryMb, environment, onOutput } = options;
  const marker = call.place.call;
  const thread = new Worker(entry, {
    workerData: call,
    name: marker,
    env: { ...environment, [markerName]: marker },
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: stackMb },
  });
  const printed = collectOutput([thread.stdout, thread.stderr], printedLimits, onOutput);
  let end: IsolateEnd['end'] = null;
  let why = '';
  let forced = false;
  const take = createLiveMeter();
  let disarm = () => {};

  const terminate = () => {
    forced ||= end === null;
    void thread.terminate();
  };
  const stop = () => {
    disarm = clock.after(termGraceMs, terminate);
    thread.postMessage({ stop: plain(signal.reason) } satisfies Stop);
    if (kill.aborted) terminate();
  };
  const onKill = () => {
    if (signal.aborted) terminate();
  };

  await new Promise<void>((resolve) => {
    const finish = () => {
      thread.off('message', hear);
      void thread.terminate(); // what it has left running has no more to say
    };
    const refuse = (sentence: string) => {
      why ||= sentence;
      finish();
    };
    const hear = (message: unknown) => {
      const said = parseIsolateMessage(message);
      if (said === null) refuse('The thread said something that is no end of a call.');
      else if ('end' in said) {
        end = said.end;
        finish();
      } else if (take(said.output.length) < said.output.length) refuse('The thread said more than a call may show.');
      else onOutput(said.output);
    };
    thread.on('message', hear);
    thread.on('error', (error: unknown) => {
      why ||= error instanceof Error ? error.message : String(error);
    });
    thread.on('exit', (code) => {
      why ||= `The thread ended with code ${code} before it had a result.`;
      resolve();
    });
    kill.addEventListener('abort', onKill);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  disarm();
  signal.removeEventListener('abort', stop);
  kill.removeEventListener('abort', onKill);
  // it may not have started any; what has found a way is not left alive
  await terminateFamily({ marker, group: null, startTime: null }, [], {
    clock,
    termGraceMs,
    kill: AbortSignal.abort(),
  });
  await printed.closed;
  return { end, why, forced: forced && end === null, printed: printed.end().output };
}

/** What can be handed over of a signal's reason: a cause is plain, an exception is not. */
function plain(reason: unknown): unknown {
  try {
    return structuredClone(reason);
  } catch {
    return String(reason);
  }
}
