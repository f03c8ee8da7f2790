// A call in a process of its own: whatever it does, the ladder ends it.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectOutput } from '../../process/process-output.ts';
import { startProcess } from '../../process/started-command.ts';
import { createLineReader } from '../../text/line-reader.ts';
import { type IsolatedCall, type IsolateEnd, parseIsolateMessage, type Stop } from './isolate-messages.ts';
import { type IsolateOptions, printedLimits } from './isolate-thread.ts';
import { createLiveMeter } from './live-output-limit.ts';

/** The same file name under another ending, once it is built. */
const entry = new URL(`./process-entry${extname(new URL(import.meta.url).pathname)}`, import.meta.url);

/** Of one message: an end with the longest output that is kept, whatever JSON makes of its characters. */
const maxMessageBytes = 1_048_576;

/** Resolves when no process of the call is left. Rejects where the arguments are no JSON. */
export async function runInProcess(call: IsolatedCall, options: IsolateOptions): Promise<IsolateEnd> {
  const { signal, kill, memoryMb, environment, onOutput } = options;
  const line = JSON.stringify(call);
  const stop = new AbortController();
  const hurry = new AbortController();
  const command = {
    file: process.execPath,
    args: [`--max-old-space-size=${memoryMb}`, fileURLToPath(entry)],
    cwd: process.cwd(),
    environment,
    marker: call.place.call,
    pipes: 1,
  };
  const started = await startProcess(command, { ...options, signal: stop.signal, kill: hurry.signal });
  if (started.kind === 'stopped') return { end: null, why: '', forced: false, printed: '' };
  if (started.kind === 'failed') return { end: null, why: started.message, forced: false, printed: '' };
  const printed = collectOutput([started.stdout, started.stderr], printedLimits, onOutput);
  const [pipe] = started.pipes;
  const take = createLiveMeter();
  let end: IsolateEnd['end'] = null;
  let why = '';

  /** It has no more to say: what it is still doing is ended at once. */
  const finish = () => {
    hurry.abort();
    stop.abort();
  };
  const refuse = (sentence: string) => {
    why ||= sentence;
    finish();
  };
  const speaksNonsense = () => refuse('The process said something that is no end of a call.');
  const lines = createLineReader(
    maxMessageBytes,
    (text) => {
      if (end !== null || why !== '') return;
      const said = parseIsolateMessage(parsed(text));
      if (said === null) speaksNonsense();
      else if ('end' in said) {
        end = said.end;
        finish();
      } else if (take(said.output.length) < said.output.length) refuse('The process said more than a call may show.');
      else onOutput(said.output);
    },
    speaksNonsense,
  );
  pipe?.on('data', (chunk: Buffer) => lines.push(chunk));
  const onAbort = () => {
    pipe?.write(`${JSON.stringify({ stop: signal.reason } satisfies Stop)}\n`);
    stop.abort();
  };
  const onKill = () => hurry.abort();
  signal.addEventListener('abort', onAbort);
  kill.addEventListener('abort', onKill);
  pipe?.write(`${line}\n`);
  if (signal.aborted) onAbort();
  if (kill.aborted) onKill();

  const { forced, exitCode, exitSignal } = await started.ended;
  signal.removeEventListener('abort', onAbort);
  kill.removeEventListener('abort', onKill);
  await printed.closed;
  const how = exitSignal === null ? `ended with exit code ${exitCode}` : `was ended by ${exitSignal}`;
  why ||= `The process ${how} before it had a result.`;
  return { end, why, forced: forced && end === null, printed: printed.end().output };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
