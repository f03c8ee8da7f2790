// Runs a call in a worker thread. It is asked to stop, and terminated after the grace: a loop that blocks it delays nobody else.
//
// A thread that is blocked in the system, not in JavaScript, ends when that does; until then the call has not ended, and is reported so.
// Code that must be ended whatever it does, or that starts processes, belongs in a process.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { collectOutput } from '../../process/process-output.ts';
import { markerName } from '../../process/process-table.ts';
import { terminateFamily } from '../../process/terminate.ts';
import { onAbort } from '../../sources/on-abort.ts';
import { errorText } from '../../text/error-text.ts';
import type { IsolatedCall, StopMessage } from './isolate-messages.ts';
import { type IsolateOptions, printedLimits } from './isolate-options.ts';
import { IsolateReport, type IsolateResult } from './isolate-report.ts';

/** The same file name with another extension, once it is built. */
const entry = new URL(`./thread-entry${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

const stackMb = 4;

function startThread(call: IsolatedCall, { memoryMb, environment }: IsolateOptions): Worker {
  const marker = call.identity.call;
  return new Worker(entry, {
    workerData: call,
    name: marker,
    env: { ...environment, [markerName]: marker },
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: stackMb },
  });
}

/** Resolves when the thread is gone. Rejects where the arguments cannot be cloned. */
export async function runInThread(call: IsolatedCall, options: IsolateOptions): Promise<IsolateResult> {
  const { signal, kill, clock, termGraceMs, onOutput } = options;
  const thread = startThread(call, options);
  const printed = collectOutput([thread.stdout, thread.stderr], printedLimits, onOutput);
  const report = new IsolateReport({ kind: 'thread', onOutput, onOver: () => void thread.terminate() });
  thread.on('message', (message) => report.receive(message));
  thread.on('error', (error: unknown) => report.addReason(errorText(error)));
  const exited = new Promise<void>((resolve) => {
    thread.on('exit', (code) => {
      report.addReason(`The thread ended with code ${code} before it had a result.`);
      resolve();
    });
  });

  using armed = new DisposableStack();
  let forced = false;
  const terminate = () => {
    forced ||= !report.hasEnd;
    void thread.terminate();
  };
  const stop = () => {
    armed.defer(clock.after(termGraceMs, terminate));
    thread.postMessage({ stop: cloneable(signal.reason) } satisfies StopMessage);
  };
  armed.use(onAbort(signal, stop));
  armed.use(onAbort(kill, () => signal.aborted && terminate()));
  await exited;
  armed.dispose();
  await terminateStarted(call.identity.call, clock);
  await printed.closed;
  return report.result({ forced, printed: printed.kept.result().output });
}

/** A thread may not start processes; one that it has started all the same is not left alive. */
const terminateStarted = (marker: string, clock: IsolateOptions['clock']) =>
  terminateFamily({ marker, group: null, startTime: null }, [], { clock, termGraceMs: 0, kill: AbortSignal.abort() });

/** Returns the reason of a signal as it can be sent: a cause is plain, an exception is not. */
function cloneable(reason: unknown): unknown {
  try {
    return structuredClone(reason);
  } catch {
    return String(reason);
  }
}
