// A hundred requests a second with wrong credentials, from this machine: an attack that a gateway has to bear.
import { Agent, request } from 'node:http';
import { onTestFinished } from 'vitest';

const everyMs = 10;

export interface WrongRequests {
  /** Responses so far, by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Sends no more. */
  stop(): void;
}

/** Asks the gateway at `url` (`ws:` or `http:`) a hundred times a second until the end of the test, in turn with each of these paths and headers. */
export function sendWrongRequests(
  url: string,
  wrong: readonly { readonly path: string; readonly headers?: Readonly<Record<string, string>> }[],
): WrongRequests {
  const base = new URL('/', url.replace(/^ws/, 'http'));
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let count = 0;
  const timer = setInterval(() => {
    const { path, headers = {} } = wrong[count++ % wrong.length] ?? { path: '/' };
    const sent = request(new URL(path, base), { agent, headers }, (response) => {
      const status = response.statusCode ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      response.resume();
    });
    sent.on('error', () => {}).end(); // the gateway closes at the end of the test
  }, everyMs);
  const stop = () => clearInterval(timer);
  onTestFinished(() => {
    stop();
    agent.destroy();
  });
  return { statuses, stop };
}
