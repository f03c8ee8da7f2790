// A server on loopback that speaks a dialect of Chat Completions: it keeps each request, and replies as the test says.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A reply: events of a stream, or a text with a status. */
export type DialectReply =
  | {
      /** The data of each event: JSON, or a text as it is. */
      readonly events: readonly unknown[];
      /** Whether `[DONE]` follows; false: the stream ends without it. */
      readonly isDone?: boolean;
    }
  | { readonly status?: number; readonly json: unknown };

export interface DialectServer {
  /** The base address, which ends with `/v1`. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Starts a server that is closed after the test. `reply` gets the number of the request, from 0. */
export async function startDialectServer(
  reply: (request: ReceivedRequest, n: number) => DialectReply,
): Promise<DialectServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer); // a request has no encoding
    const { url: path = '', headers } = incoming;
    const request = { path, headers, body: JSON.parse(Buffer.concat(pieces).toString('utf8')) };
    requests.push(request);
    const replied = reply(request, requests.length - 1);
    if ('json' in replied) {
      response.writeHead(replied.status ?? 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(replied.json));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of replied.events)
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    response.end(replied.isDone === false ? '' : 'data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

/** A chunk whose first choice has this delta, and these fields. */
export const chunk = (delta: unknown, more: object = {}): object => ({
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});

/** The chunk with the finish reason. */
export const finished = (reason: string, more: object = {}): object => ({
  choices: [{ index: 0, delta: {}, finish_reason: reason }],
  ...more,
});

/** A chunk with fragments of calls. */
export const fragments = (...calls: readonly object[]): object => chunk({ tool_calls: calls });
