// Sends the requests of a command for the one on call to a running gateway, over HTTP.

import { type RequestOptions, request as sendPlainly } from 'node:http';
import { request as sendSecurely } from 'node:https';
import { addressWithKnownKey } from '../client/known-key.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import { addMs, msUntil } from '../core/sources/monotonic-time.ts';
import { pause } from '../core/sources/pause.ts';
import type { MonotonicTime } from '../core/sources/sources.ts';
import { systemSources } from '../core/sources/system.ts';

/** Nothing listens at the address, or the connection broke. */
export class GatewayUnreachable extends Error {
  override readonly name = 'GatewayUnreachable';

  constructor(url: string, cause: unknown) {
    super(`No gateway can be reached at ${url}.`, { cause });
  }
}

/** The command waits no longer. */
export class LateReply extends Error {
  override readonly name = 'LateReply';

  constructor() {
    super('The gateway has not replied in time.');
  }
}

export interface GatewayRequest {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as they are, instead of `body`. */
  readonly bytes?: Uint8Array;
  readonly idempotencyKey?: string;
}

export interface GatewayReply {
  readonly status: number;
  /** The fields of the JSON of the reply; empty if it has none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The whole reply as text. */
  readonly text: string;
  /** The code of a problem; null: it is none. */
  readonly code: string | null;
  /** What a problem says. */
  readonly message: string;
}

/** A request that came too fast is sent again after this time. */
const retryMs = 1_000;

export interface GatewayAddress {
  readonly url: string;
  readonly token: string | undefined;
  /** How long replies are waited for, in milliseconds, from the first request on. Left out: 60 s. */
  readonly waitMs?: number;
}

const defaultWaitMs = 60_000;
const { clock } = systemSources;

export class GatewayRequests {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #deadline: MonotonicTime;

  constructor({ url, token, waitMs = defaultWaitMs }: GatewayAddress) {
    this.#url = url;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#deadline = addMs(clock.elapsed(), waitMs);
  }

  /** Resolves with the reply, also if it is a problem. Rejects with `GatewayUnreachable`, with `LateReply`, or if the speaker is unknown. */
  async send(method: 'GET' | 'POST' | 'DELETE', path: string, request: GatewayRequest = {}): Promise<GatewayReply> {
    for (;;) {
      const reply = await this.#sendOnce(method, path, request);
      if (reply.status === 401) throw new Error(reply.message);
      if (reply.code !== 'rate_limited') return reply;
      await pause(clock, retryMs);
    }
  }

  async #sendOnce(
    method: string,
    path: string,
    { query = {}, body, bytes, idempotencyKey }: GatewayRequest,
  ): Promise<GatewayReply> {
    const address = new URL(addressWithKnownKey(this.#url));
    address.protocol = address.protocol.replace('ws', 'http');
    address.pathname = path;
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const headers = {
      ...this.#headers,
      ...(body && { 'content-type': 'application/json' }),
      ...(bytes && { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    try {
      return await this.#exchange(address, { method, headers }, bytes ?? (body && JSON.stringify(body)));
    } catch (cause) {
      throw cause instanceof LateReply ? cause : new GatewayUnreachable(this.#url, cause);
    }
  }

  #exchange(address: URL, options: RequestOptions, body: string | Uint8Array | undefined): Promise<GatewayReply> {
    const { promise, resolve, reject } = Promise.withResolvers<GatewayReply>();
    const send = address.protocol === 'https:' ? sendSecurely : sendPlainly;
    const sent = send(address, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.once('error', reject).once('end', () => resolve(replyOf(response.statusCode ?? 0, text)));
    });
    const disarm = clock.after(Math.max(0, msUntil(clock, this.#deadline)), () => sent.destroy(new LateReply()));
    sent.once('error', reject).once('close', disarm).end(body);
    return promise;
  }
}

function replyOf(status: number, text: string): GatewayReply {
  const body = fieldsOf(parse(text));
  const { code, detail } = body;
  const isProblem = status >= 400;
  return {
    status,
    text,
    body,
    code: isProblem && typeof code === 'string' ? code : null,
    message: isProblem && typeof detail === 'string' ? detail : `HTTP ${status}`,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the names of the hosts that are missing in a list, as its route declares them. A gateway of an earlier version names none. */
export function missingHostsOf(body: GatewayReply['body']): readonly string[] {
  const { missing } = body;
  return Array.isArray(missing) ? missing.map(String) : [];
}
