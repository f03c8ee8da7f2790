// Runs a call in a worker thread. The thread is asked to stop, and terminated after the grace. A loop that blocks it delays no other call.
//
// A thread in a blocking system call can only be terminated after that call returns. Until then the call is reported as running.
// Code that must always be killable, or that starts processes, belongs in a process.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { onAbort } from '../../../core/sources/abort-signals.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { collectOutput } from '../../processes/process-output.ts';
import { markerName } from '../../processes/process-table.ts';
import { terminateFamily } from '../../processes/terminate.ts';
import { type IsolatedCall, type StopMessage, stopMessage } from './isolate-messages.ts';
import { type IsolateOptions, printedLimits } from './isolate-options.ts';
import { IsolateReport, type IsolateResult } from './isolate-report.ts';

/** The program of the thread. It ends in .ts in the sources, and in .js in the package. */
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

/** Resolves when the thread has exited. Rejects if the arguments cannot be cloned. */
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
    thread.postMessage(cloneable(stopMessage(signal.reason)));
  };
  armed.use(onAbort(signal, stop));
  armed.use(onAbort(kill, () => signal.aborted && terminate()));
  await exited;
  armed.dispose();
  await terminateStarted(call.identity.call, clock);
  await printed.closed;
  return report.result({ forced, printed: printed.kept.result().output });
}

/** Kills processes that the thread has started although it must not. */
const terminateStarted = (marker: string, clock: IsolateOptions['clock']) =>
  terminateFamily({ marker, group: null, startTime: null }, [], { clock, termGraceMs: 0, kill: AbortSignal.abort() });

/** Returns the message in a form that can be sent to the thread: a reason that cannot be copied becomes a text. */
function cloneable({ stop }: StopMessage): StopMessage {
  try {
    return structuredClone({ stop });
  } catch {
    return { stop: String(stop) };
  }
}
