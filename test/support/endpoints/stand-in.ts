// A stand-in of a model endpoint: real HTTP on loopback in this process. It refuses what the real one refuses, and streams what a test says.
//
//   const endpoint = await startStandIn(openAIResponses());
//   endpoint.play({ text: 'Looking.', calls: [['look', { where: 'here' }]] }, { text: 'Done.' });
//   … a provider at endpoint.url …
//   expect(endpoint.refusals()).toEqual([]);
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** One response of the model. */
export interface Play {
  readonly reasoning?: string;
  readonly text?: string;
  /** `id`: left out, the endpoint makes one. */
  readonly calls?: readonly (readonly [name: string, input: object, id?: string])[];
  /** A call of a tool that the endpoint runs itself, where the dialect has one. */
  readonly hosted?: boolean;
  /** Where it stops sending until the client closes: before its first byte, or in the middle of its reasoning, its text or its last arguments, or after its text. */
  readonly hang?: 'start' | 'reasoning' | 'arguments' | 'text' | 'after_text';
  /** Why it ends where it does not end by itself. */
  readonly ends?: 'length' | 'filter' | 'refusal' | 'error';
  /** In the place of a response: an error of the endpoint. */
  readonly status?: number;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // what a test looks for in it depends on the dialect
  // biome-ignore lint/suspicious/noExplicitAny: the body of a request, which tests read by name
  readonly body: any;
  /** Why it was refused; null: it was accepted. */
  refusal: string | null;
  isHanging: boolean;
  ended: 'completed' | 'closed_by_client' | null;
}

export interface EndpointRefusal {
  readonly status: number;
  readonly message: string;
}

/** In the place of a piece: nothing more is sent. */
export const hangs = Symbol('hangs');

/** The rules of an endpoint, and the form of its responses. */
export interface Dialect {
  /** The path of its API below the address. */
  readonly basePath: string;
  /** Returns why the endpoint refuses a request; null: it does not. */
  check(request: SeenRequest): EndpointRefusal | null;
  /** The body of an error. */
  errorBody(refusal: EndpointRefusal): object;
  /** Yields the pieces of a response. */
  pieces(play: Play, request: SeenRequest): Iterable<string | typeof hangs>;
}

const refusedAtTop = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/** Refuses a schema of a tool that is no object, or has alternatives at its top, as OpenAI and Anthropic do; the others of the table are tried with the same. */
function checkSchemas({ body }: SeenRequest): EndpointRefusal | null {
  // biome-ignore lint/suspicious/noExplicitAny: the body of a request
  const tools: readonly any[] = (body?.tools ?? []).flatMap((tool: any) => tool.functionDeclarations ?? [tool]);
  for (const { name, parameters, input_schema, parametersJsonSchema, function: of } of tools) {
    const schema = of?.parameters ?? parameters ?? input_schema ?? parametersJsonSchema;
    if (schema === undefined) continue; // one that the endpoint runs itself
    const found = refusedAtTop.filter((keyword) => schema[keyword] !== undefined);
    const message = `Invalid schema for function '${name ?? of?.name}': schema must have type 'object' (it has ${schema.type}) and not have ${refusedAtTop} at the top level (it has ${found}).`;
    if (found.length > 0 || schema.type !== 'object') return { status: 400, message };
  }
  return null;
}

export class StandIn {
  readonly url: string;
  readonly requests: SeenRequest[] = [];
  readonly sockets = new Set<Socket>();
  #plays: readonly Play[] = [];

  /** Closes it with all its connections. */
  readonly close: () => void;

  constructor(url: string, close: () => void) {
    this.url = url;
    this.close = close;
  }

  /** The responses of the next requests, in their order; the last one is that of all requests after them, too. */
  play(...plays: readonly Play[]): void {
    this.#plays = plays;
  }

  takePlay(): Play {
    const [next = { text: 'Fine.' }, ...rest] = this.#plays;
    if (rest.length > 0) this.#plays = rest;
    return next;
  }

  /** Why requests were refused so far. */
  refusals(): readonly string[] {
    return this.requests.flatMap(({ refusal }) => refusal ?? []);
  }

  get last(): SeenRequest | undefined {
    return this.requests.at(-1);
  }
}

/** Starts a stand-in, which is closed when the test has ended. */
export async function startStandIn(dialect: Dialect): Promise<StandIn> {
  const standIn = await openStandIn(dialect);
  onTestFinished(() => standIn.close());
  return standIn;
}

/** Starts a stand-in, which the caller closes. */
export async function openStandIn(dialect: Dialect): Promise<StandIn> {
  const server = createServer((request, response) => void serve(request, response, dialect, standIn));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const standIn = new StandIn(`http://127.0.0.1:${port}${dialect.basePath}`, () => {
    server.closeAllConnections();
    server.close();
  });
  server.on('connection', (socket) => {
    standIn.sockets.add(socket);
    socket.on('close', () => standIn.sockets.delete(socket));
  });
  return standIn;
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  dialect: Dialect,
  standIn: StandIn,
): Promise<void> {
  const body = JSON.parse((await readText(message)) || 'null');
  const { url: path = '', headers } = message;
  const request: SeenRequest = { path, headers, body, refusal: null, isHanging: false, ended: null };
  standIn.requests.push(request);
  response.on('close', () => {
    request.ended = response.writableFinished ? 'completed' : 'closed_by_client';
  });
  const refusal = checkSchemas(request) ?? dialect.check(request);
  if (refusal) {
    request.refusal = refusal.message;
    return sendError(response, dialect, refusal);
  }
  const play = standIn.takePlay();
  if (play.status !== undefined) return sendError(response, dialect, { status: play.status, message: 'It says so.' });
  if (play.hang === 'start') {
    request.isHanging = true;
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const piece of dialect.pieces(play, request)) {
    if (response.destroyed) return;
    if (piece === hangs) {
      request.isHanging = true;
      return;
    }
    response.write(piece);
    await new Promise((resolve) => setImmediate(resolve)); // a piece of its own on the socket
  }
  response.end();
}

function sendError(response: ServerResponse, dialect: Dialect, refusal: EndpointRefusal): void {
  response.writeHead(refusal.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(dialect.errorBody(refusal)));
}

/** Cuts a text into two pieces: what comes before a hang in its middle, and the rest. */
export const halves = (text: string): readonly [string, string] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

/** Yields the deltas of a text: both halves, or the first one and then a hang. */
export function* deltas(
  text: string,
  isHanging: boolean,
  write: (delta: string) => string,
): Generator<string | typeof hangs> {
  const [first, second] = halves(text);
  yield write(first);
  if (isHanging) yield hangs;
  if (second !== '') yield write(second);
}

/** Returns the names of fields that are not known. */
export const fieldsNotIn = (value: object, known: readonly string[]): readonly string[] =>
  Object.keys(value).filter((name) => !known.includes(name));
