// Entry point of the process of an isolated call. Exchanges lines of JSON with the host on file descriptor 3.
import { Socket } from 'node:net';
import { encodeMessage, type IsolatedCall, reasonOf, type StopMessage } from './isolate-messages.ts';
import { serveCall } from './serve-call.ts';

const host = new Socket({ fd: 3 });
const stopper = new AbortController();
let unfinishedLine = '';

function onMessage(message: IsolatedCall | StopMessage): void {
  if ('stop' in message) stopper.abort(reasonOf(message));
  else void serveCall(message, stopper.signal, (report) => host.write(`${encodeMessage(report)}\n`));
}

process.on('SIGTERM', () => {}); // ignored: the stop message has the reason, and code that ignores its signal is killed after the grace
host.setEncoding('utf8');
host.on('data', (chunk: string) => {
  const lines = (unfinishedLine + chunk).split('\n');
  unfinishedLine = lines.pop() ?? '';
  for (const line of lines) onMessage(JSON.parse(line));
});
host.on('error', () => process.exit(1));
host.on('close', () => process.exit(1)); // the host is gone
