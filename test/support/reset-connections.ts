// Requests whose connection is reset: before the reply, in the middle of the request, and as soon as the reply arrives.
import { connect } from 'node:net';
import { until } from './until.ts';

/** What is sent to a server, by its name. */
export type RawRequests = Readonly<Record<string, string>>;

const head = (line: string, port: number, fields: readonly string[]) =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...fields, '', ''].join('\r\n');

/** An upgrade to a WebSocket, with more fields. */
export const upgradeRequest = (port: number, path: string, ...fields: readonly string[]): string =>
  head(`GET ${path}`, port, [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...fields,
  ]);

/** Requests that need no key. A server refuses each of them, or has nothing at its path. */
export const refusedRequests = (port: number): RawRequests => ({
  'an upgrade at another path': upgradeRequest(port, '/other'),
  'an upgrade at //': upgradeRequest(port, '//'),
  'an upgrade without a subprotocol': upgradeRequest(port, '/belay'),
  'an upgrade without a key': upgradeRequest(port, '/belay', 'Sec-WebSocket-Protocol: belay.v1'),
  'an upgrade with a wrong token': upgradeRequest(
    port,
    '/belay',
    'Sec-WebSocket-Protocol: belay.v1',
    'Authorization: Bearer wrong',
  ),
  'an upgrade of another origin': upgradeRequest(port, '/belay', 'Origin: http://evil.example'),
  'an upgrade of another version': upgradeRequest(
    port,
    '/belay',
    'Sec-WebSocket-Protocol: belay.v1',
    'Sec-WebSocket-Version: 99',
  ),
  'an upgrade at /': upgradeRequest(port, '/'),
  'GET //': head('GET //', port, []),
  'GET /\\': head('GET /\\', port, []),
  'GET http://[': head('GET http://[', port, []),
  'OPTIONS *': head('OPTIONS *', port, []),
  'a path that cannot be decoded': head('GET /api/sessions/%E0', port, []),
  'a tunnel': head('CONNECT 127.0.0.1:99999', port, []),
  'Expect: 100-continue': head('POST /api/sessions', port, ['Expect: 100-continue', 'Content-Length: 9']),
  'another expectation': head('POST /api/sessions', port, ['Expect: nothing', 'Content-Length: 9']),
  'no HTTP': 'no HTTP\r\n\r\n',
  'too long a header': head('GET /', port, [`X-Long: ${'x'.repeat(70_000)}`]),
  'half a body': `${head('POST /api/sessions', port, ['Content-Length: 9'])}{`,
  'a body in broken chunks': `${head('POST /api/sessions', port, ['Transfer-Encoding: chunked'])}zz\r\n`,
});

/** How long a reply is waited for where none may come, in milliseconds. */
const noReplyMs = 200;

/** Resolves when the connection was reset. */
async function sendAndReset(port: number, text: string, when: 'sent' | 'replied'): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  let state: 'open' | 'replied' | 'closed' = 'open';
  socket.on('error', () => {}); // the server may be the first to reset it
  socket.on('data', () => {
    state = 'replied';
  });
  socket.on('close', () => {
    state = 'closed';
  });
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  if (when === 'replied') await until(() => state !== 'open', { ms: noReplyMs }).catch(() => {});
  socket.resetAndDestroy();
  await until(() => state === 'closed', { what: 'the end of the connection' });
}

/** Sends each request, and resets its connection. `isServed` rejects when the server is gone: it is called after each. */
export async function resetEach(
  port: number,
  requests: RawRequests,
  isServed: (what: string) => Promise<void>,
): Promise<void> {
  for (const [what, text] of Object.entries(requests)) {
    await sendAndReset(port, text.slice(0, text.length / 2), 'sent');
    await sendAndReset(port, text, 'sent');
    await sendAndReset(port, text, 'replied');
    await isServed(what);
  }
}
