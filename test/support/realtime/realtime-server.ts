// A server of the Realtime API on loopback, as strict as its documentation: one response with a part in the conversation at a time, ids, error codes, truncation held to the item, no call without an output, an end of its sessions.
//
// A script says what the model answers, and may hold each event back: before it is sent, and after it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { ServerRequest, ServerScript } from './server-script.ts';
import { ServerSession } from './server-session.ts';

export class RealtimeServer implements AsyncDisposable {
  readonly #server: Server;
  readonly sessions: ServerSession[] = [];
  script: ServerScript;
  upgrades = 0;

  private constructor(script: ServerScript) {
    this.script = script;
    this.#server = createServer();
    const sockets = new WebSocketServer({ noServer: true });
    this.#server.on('upgrade', (request, socket, head) => {
      this.upgrades += 1;
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const isKnown = request.headers.authorization === 'Bearer the-key-of-the-tests';
      const isThere = pathname === '/v1/realtime' && searchParams.get('model') !== null;
      const refusal = this.script.refuse?.() ?? (isThere ? (isKnown ? null : { status: 401 }) : { status: 404 });
      if (refusal === 'hangs') {
        socket.on('error', () => {}).on('end', () => socket.destroy()); // http leaves its sockets half open
        socket.resume();
        return;
      }
      if (refusal !== null) {
        const { status, headers = {}, body = '' } = refusal;
        const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
        const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}\r\n${body}`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (one) => this.sessions.push(new ServerSession(one, this)));
    });
  }

  static async start(script: ServerScript, port = 0): Promise<RealtimeServer> {
    const server = new RealtimeServer(script);
    await new Promise<void>((resolve) => server.#server.listen(port, '127.0.0.1', resolve));
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The session that was opened last. */
  get session(): ServerSession {
    const last = this.sessions.at(-1);
    if (!last) throw new Error('Nobody has connected.');
    return last;
  }

  get open(): readonly ServerSession[] {
    return this.sessions.filter(({ isOpen }) => isOpen);
  }

  /** All responses, of all sessions. */
  get requests(): readonly ServerRequest[] {
    return this.sessions.flatMap(({ requests }) => requests);
  }

  get refusals(): ServerSession['refusals'] {
    return this.sessions.flatMap(({ refusals }) => refusals);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions) session.drop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
