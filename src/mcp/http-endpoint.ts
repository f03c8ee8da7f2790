// Sends the requests of streamable HTTP. Each has a connection of its own, none is reused; no redirect is followed.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { networkFailure, responseFailure } from './http-failure.ts';
import type { HttpServer } from './server-config.ts';

/**
 * Each request resolves with a response of success (2xx), or rejects with an `McpFailure`. Its signal closes the connection, also after the
 * response has come.
 */
export class HttpEndpoint {
  readonly #url: URL;
  readonly #request: typeof requestHttp;
  readonly #configuredHeaders: Readonly<Record<string, string>>;
  readonly #sessionHeaders: Record<string, string> = {};

  /** Throws a TypeError if the server's URL is invalid. */
  constructor({ url, headers = {} }: HttpServer) {
    this.#url = new URL(url);
    this.#request = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
    this.#configuredHeaders = headers;
  }

  async post(message: JSONRPCMessage, signal: AbortSignal): Promise<IncomingMessage> {
    const body = JSON.stringify(message);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      accept: 'application/json, text/event-stream',
    };
    const response = await this.#send('POST', headers, signal, body);
    const session = response.headers['mcp-session-id'];
    if (typeof session === 'string') this.#sessionHeaders['mcp-session-id'] = session;
    return response;
  }

  /** Opens a stream; with `lastEventId`, of the events that follow it. */
  async get(lastEventId: string | null, signal: AbortSignal): Promise<IncomingMessage> {
    const resumed = lastEventId === null ? {} : { 'last-event-id': lastEventId };
    return await this.#send('GET', { accept: 'text/event-stream', ...resumed }, signal);
  }

  /** Ends the session on the server, if there is one. */
  async deleteSession(signal: AbortSignal): Promise<void> {
    if (this.#hasSession) (await this.#send('DELETE', {}, signal)).destroy();
  }

  /** Every later request names this revision of the protocol. */
  setRevision(revision: string): void {
    this.#sessionHeaders['mcp-protocol-version'] = revision;
  }

  get #hasSession(): boolean {
    return 'mcp-session-id' in this.#sessionHeaders;
  }

  async #send(
    method: string,
    requestHeaders: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body = '',
  ): Promise<IncomingMessage> {
    const headers = { ...this.#configuredHeaders, ...this.#sessionHeaders, ...requestHeaders };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#request(this.#url, { method, headers, signal, agent: false }, resolve);
      request.on('error', reject);
      request.end(body);
    }).catch((error) => {
      throw networkFailure(error);
    });
    response.on('error', () => {}); // whoever reads the body gets it
    if ((response.statusCode ?? 0) >= 300) throw await responseFailure(response, this.#hasSession);
    return response;
  }
}
