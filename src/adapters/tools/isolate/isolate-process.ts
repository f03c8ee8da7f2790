// Runs a call in a process of its own, which can always be killed.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onAbort } from '../../../core/sources/abort-signals.ts';
import { LineReader } from '../../../core/text/line-reader.ts';
import { maxPartsBytes } from '../../../core/tools/tool-parts.ts';
import { collectOutput } from '../../processes/process-output.ts';
import { startProcess } from '../../processes/started-command.ts';
import { decodeMessage, type IsolatedCall, stopMessage } from './isolate-messages.ts';
import { type IsolateOptions, printedLimits } from './isolate-options.ts';
import { IsolateReport, type IsolateResult } from './isolate-report.ts';

/** The program of the process. It ends in .ts in the sources, and in .js in the package. */
const entry = new URL(`./process-entry${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** The limit of one message. The end of a call with the longest output fits, even if JSON escapes every character, and so do its parts in base64. */
const maxMessageBytes = 1_048_576 + Math.ceil((maxPartsBytes * 4) / 3);

const commandFor = (call: IsolatedCall, { memoryMb, environment }: IsolateOptions) => ({
  file: process.execPath,
  args: [`--max-old-space-size=${memoryMb}`, fileURLToPath(entry)],
  cwd: process.cwd(),
  environment,
  marker: call.identity.call,
  pipes: 1,
});

/** Resolves when no process of the call is left. Rejects if the arguments cannot be written as JSON. */
export async function runInProcess(call: IsolatedCall, options: IsolateOptions): Promise<IsolateResult> {
  const { signal, kill, onOutput } = options;
  const callLine = JSON.stringify(call);
  const stopProcess = new AbortController();
  const killProcess = new AbortController();
  const killNow = () => {
    killProcess.abort();
    stopProcess.abort();
  };
  const started = await startProcess(commandFor(call, options), {
    ...options,
    signal: stopProcess.signal,
    kill: killProcess.signal,
  });
  if (started.kind === 'stopped') return { end: null, reason: '', forced: false, printed: '' };
  if (started.kind === 'failed') return { end: null, reason: started.message, forced: false, printed: '' };
  const printed = collectOutput([started.stdout, started.stderr], printedLimits, onOutput);
  const report = new IsolateReport({ kind: 'process', onOutput, onOver: killNow });
  const lines = new LineReader({
    maxBytes: maxMessageBytes,
    onLine: (line) => report.receive(decodeMessage(line)),
    onTooLong: () => report.refuse(`sent a message of more than ${maxMessageBytes} bytes`),
  });
  const [pipe] = started.pipes;
  pipe?.on('data', (chunk: Buffer) => lines.push(chunk));
  pipe?.write(`${callLine}\n`);
  const stop = () => {
    pipe?.write(`${JSON.stringify(stopMessage(signal.reason))}\n`);
    stopProcess.abort();
  };

  using listeners = new DisposableStack();
  listeners.use(onAbort(signal, stop));
  listeners.use(onAbort(kill, () => killProcess.abort()));

  const { forced, exitCode, exitSignal } = await started.ended;
  listeners.dispose();
  await printed.closed;
  const end = exitSignal === null ? `ended with exit code ${exitCode}` : `was ended by ${exitSignal}`;
  report.addReason(`The process ${end} before it had a result.`);
  return report.result({ forced, printed: printed.kept.result().output });
}
