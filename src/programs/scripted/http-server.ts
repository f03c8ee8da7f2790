// The HTTP server of the scripted endpoint, on loopback. It streams what is generated until the client closes its stream, rejects messages with
// a call that has no result (or the reverse), and logs requests for tests.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sources } from '../../core/sources/sources.ts';
import { errorBody, generateEvents } from './generate.ts';
import { OutgoingResponse } from './outgoing-response.ts';
import { findRejection } from './pairing.ts';
import {
  type HttpError,
  matchesRequest,
  type RawBody,
  type Reply,
  type Rule,
  type ScriptedAnswer,
  type WireRequest,
} from './reply.ts';
import { type LoggedRequest, maxLoggedRequests, RequestLog } from './request-log.ts';

const maxRequestBytes = 16 * 1_048_576;

export interface HttpServerOptions {
  readonly sources: Pick<Sources, 'clock' | 'ids'>;
  /** Makes the reply to a request as long as no test has set rules. */
  readonly tour: (request: WireRequest) => ScriptedAnswer;
  /** Whether the routes for tests exist: rules, log, release. */
  readonly control: boolean;
}

/** Longer than clients keep a connection, so that none sends a request on one that closes at the same moment. */
const keepAliveMs = 60_000;

/** Listens on a free port of 127.0.0.1. Resolves with the base URL for a client. */
export async function startHttpServer(options: HttpServerOptions): Promise<string> {
  const endpoint = new Endpoint(options);
  const server = http.createServer((incoming, response) => {
    endpoint.handle(incoming, response).catch(() => response.destroy()); // the client has gone, or its body is too large
  });
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // a server that listens on a port has an AddressInfo; only one that listens on a pipe has a string
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

class Endpoint {
  readonly #options: HttpServerOptions;
  readonly #log: RequestLog;
  readonly #rules: ReplyRules;
  /** Resumes each response that hangs. */
  readonly #hanging = new Set<() => void>();

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#log = new RequestLog(options.control ? maxLoggedRequests : 0);
    this.#rules = new ReplyRules(options.tour);
  }

  /** Handles one request. Rejects if the body cannot be read. */
  async handle(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const route = `${incoming.method} ${incoming.url}`;
    const body = await readBody(incoming);
    if (route === 'POST /v1/chat/completions') return this.#complete(body, response);
    const result = this.#options.control ? this.#runControl(route, body) : null;
    const unknown = { error: { message: `Unknown request URL: ${route}`, type: 'invalid_request_error' } };
    response.writeHead(result === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(result ?? unknown));
  }

  /** Runs a route for tests. Returns the body of its response; null if the route does not exist. */
  #runControl(route: string, body: string): object | null {
    switch (route) {
      case 'GET /__journal':
        return this.#log.requests;
      case 'POST /__script':
        this.#rules.replace((JSON.parse(body) as { rules: readonly Rule[] }).rules); // the only client is test/support/endpoint.ts
        return {};
      case 'POST /__release':
        for (const resume of this.#hanging) resume();
        this.#hanging.clear();
        return {};
      default:
        return null;
    }
  }

  async #complete(body: string, response: http.ServerResponse): Promise<void> {
    const { clock } = this.#options.sources;
    const request = parseRequest(body);
    const logged = this.#log.add({
      at: clock.now(),
      model: request?.model ?? null,
      messages: request?.messages ?? [],
      tools: (request?.tools ?? []).map((tool) => tool.function.name),
    });
    const outgoing = new OutgoingResponse(response, logged, clock);
    if (!request) return outgoing.reject('We could not parse the JSON body of your request.', 'body');
    const rejection = findRejection(request.messages);
    if (rejection) return outgoing.reject(rejection.message, rejection.param);
    return this.#reply(request, logged, outgoing);
  }

  async #reply(request: WireRequest, logged: LoggedRequest, outgoing: OutgoingResponse): Promise<void> {
    const { reply, rule } = this.#rules.choose(request);
    logged.rule = rule;
    if ('silent' in reply) return;
    if ('raw' in reply) return this.#sendRaw(reply, outgoing);
    if ('status' in reply) return this.#sendError(reply, outgoing);
    return this.#stream(request, reply, outgoing);
  }

  #sendError(error: HttpError, outgoing: OutgoingResponse): void {
    const { status, retryAfter } = error;
    const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    outgoing.writeHead(status, { 'content-type': 'application/json', ...retry });
    outgoing.write(errorBody(error));
    outgoing.finish();
  }

  async #stream(request: WireRequest, answer: ScriptedAnswer, outgoing: OutgoingResponse): Promise<void> {
    const end = answer.end ?? (answer.half ? 'hang' : 'finish');
    const stopsBefore = end === 'finish' ? () => false : createStopCheck(answer);
    let hasStopped = false;
    outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for await (const event of generateEvents(request, answer, this.#options.sources, outgoing.closed)) {
      if (!hasStopped && stopsBefore(event)) {
        hasStopped = true;
        if (end === 'cut') return outgoing.cut();
        await this.#hang(outgoing);
      }
      outgoing.write(event);
    }
    outgoing.finish();
  }

  async #sendRaw(reply: RawBody, outgoing: OutgoingResponse): Promise<void> {
    outgoing.writeHead(reply.rawStatus ?? 200, { 'content-type': reply.contentType ?? 'text/event-stream' });
    if (reply.raw !== '') outgoing.write(reply.raw);
    if (reply.end === 'hang') await this.#hang(outgoing);
    if (reply.end === 'cut') outgoing.cut();
    else outgoing.finish();
  }

  #hang(outgoing: OutgoingResponse): Promise<void> {
    return outgoing.hang((resume) => this.#hanging.add(resume));
  }
}

async function readBody(incoming: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming) {
    bytes += piece.length;
    if (bytes > maxRequestBytes)
      throw new Error(`The request body is too large: at least ${bytes} bytes; the limit is ${maxRequestBytes}.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Returns null if the body is not JSON with `messages`. */
function parseRequest(text: string): WireRequest | null {
  try {
    const body = JSON.parse(text) as Partial<WireRequest> | null; // messages are checked by findRejection
    return Array.isArray(body?.messages) ? (body as WireRequest) : null;
  } catch {
    return null;
  }
}

interface Chunk {
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: {
      readonly tool_calls?: readonly { readonly index: number; readonly function?: { readonly arguments?: string } }[];
    };
  }[];
}

/**
 * Returns a function that is called with each event in order, and returns whether an answer that hangs or is cut stops before that event:
 * the finish chunk, or the chunk after the first half of the arguments of its `half` call.
 */
function createStopCheck(answer: ScriptedAnswer): (event: string) => boolean {
  const halfIndex = answer.half ? (answer.calls?.length ?? 0) : -1;
  const text = answer.half?.arguments ?? '';
  const halfChars = (typeof text === 'string' ? text : JSON.stringify(text)).length / 2;
  let streamedChars = 0;
  return (event) => {
    const data = event.replace(/^data: /, '').trim();
    if (data === '[DONE]') return true;
    const choice = (JSON.parse(data) as Chunk).choices?.[0]; // the generator writes chunks of the provider's shape
    if (!choice || choice.finish_reason) return true;
    for (const call of choice.delta?.tool_calls ?? []) {
      if (call.index === halfIndex) streamedChars += call.function?.arguments?.length ?? 0;
    }
    return streamedChars > halfChars;
  };
}

class ReplyRules {
  readonly #tour: (request: WireRequest) => ScriptedAnswer;
  #rules: readonly Rule[] | null = null;
  /** How often each rule has replied. */
  #used: number[] = [];

  /** `tour` replies while there are no rules. */
  constructor(tour: (request: WireRequest) => ScriptedAnswer) {
    this.#tour = tour;
  }

  replace(rules: readonly Rule[]): void {
    this.#rules = rules;
    this.#used = [];
  }

  /** The first rule that fits replies. `rule`: its index; null: none. */
  choose(request: WireRequest): { readonly reply: Reply; readonly rule: number | null } {
    if (!this.#rules) return { reply: this.#tour(request), rule: null };
    const index = this.#rules.findIndex(
      ({ when = {}, times = Number.POSITIVE_INFINITY }, i) =>
        (this.#used[i] ?? 0) < times && matchesRequest(when, request),
    );
    const rule = this.#rules[index];
    if (!rule)
      return {
        reply: { status: 400, code: 'no_rule', message: 'No rule of the script fits this request.' },
        rule: null,
      };
    this.#used[index] = (this.#used[index] ?? 0) + 1;
    return { reply: rule.reply, rule: index };
  }
}
