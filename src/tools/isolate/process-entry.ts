// What runs in the process of an isolated call. It talks with its host by lines of JSON on descriptor 3.
import { Socket } from 'node:net';
import type { IsolatedCall, Stop } from './isolate-messages.ts';
import { serveCall } from './serve-call.ts';

const host = new Socket({ fd: 3 });
const stopper = new AbortController();
let text = '';
let isCalled = false;

function take(line: string): void {
  const message = JSON.parse(line) as IsolatedCall | Stop;
  if (isCalled) stopper.abort((message as Stop).stop);
  isCalled = true;
  if ('module' in message) void serveCall(message, stopper.signal, (said) => host.write(`${JSON.stringify(said)}\n`));
}

process.on('SIGTERM', () => {}); // the message says why; who does not hear it is killed past the grace
host.setEncoding('utf8');
host.on('data', (chunk: string) => {
  const lines = (text + chunk).split('\n');
  text = lines.pop() ?? '';
  for (const line of lines) take(line);
});
host.on('error', () => process.exit(1));
host.on('close', () => process.exit(1)); // the host is gone
