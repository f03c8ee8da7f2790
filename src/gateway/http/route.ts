// The declaration of a route as plain data: its path, its schemas and what it replies with. The server is built from it, and so is a description of the interface.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod';
import type { Caller } from '../../core/session/api.ts';
import type { ProblemCode } from './http-codes.ts';
import type { HttpServices } from './http-services.ts';
import type { HttpProblem } from './problems.ts';

/** The parts of a request that have a schema; the body where it is JSON. */
export interface RouteSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** The headers that the route reads, in lower case. Others may be there. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
}

export interface ReplyDeclaration {
  readonly description: string;
  /** The body. Left out: there is none, or it is not JSON. */
  readonly schema?: z.ZodType;
  /** The media type of the body. Default: `application/json`. */
  readonly mediaType?: string;
  /** Whether it is a stream of events instead with `Accept: text/event-stream`. */
  readonly isStreamToo?: true;
}

/** A door with a protocol of its own: its name, in causes, log and metrics, and the form of its errors. */
export interface RouteDoor {
  readonly name: string;
  /** Returns the body of an error: JSON. */
  errorBody(problem: HttpProblem): unknown;
  /** The `WWW-Authenticate` of the reply to a request without a valid token. Default: `Bearer`. */
  readonly challenge?: string | undefined;
}

/** How a request counts. */
export type RequestKind = 'request' | 'cancel' | 'stream';

export interface RouteDeclaration<S extends RouteSchemas = RouteSchemas> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Parameters as `:name`. */
  readonly path: string;
  /** Unique among the routes: what a generated client calls it. */
  readonly operation: string;
  readonly summary: string;
  /** `anybody`: no token or key is asked for. */
  readonly access: 'speaker' | 'anybody';
  /** `metrics`: the handler asks for a token of its own. Default: as `access`. */
  readonly reader?: 'metrics';
  /** `cancel`: a stop, which has a rate of its own and is accepted where other commands are not. `stream`: it counts as a connection of its speaker. `by_body`: the handler counts it, because its body says which of them it is. */
  readonly kind: RequestKind | 'by_body';
  readonly schemas?: S;
  /** `bytes`: the body is not JSON, and may be as large as a blob. */
  readonly bodyKind?: 'json' | 'bytes';
  /** By status, without problems. */
  readonly replies: Readonly<Record<number, ReplyDeclaration>>;
  /** The door that it belongs to, where that has a protocol of its own. Its body may be as large as a blob. */
  readonly door?: RouteDoor;
  /** Beside those that every route of its kind may reply with; with a status where it is not that of the code. */
  readonly problems?: readonly (ProblemCode | readonly [ProblemCode, status: number])[];
}

/** One request of a speaker, and what its handler needs. */
export interface HttpCall {
  readonly services: HttpServices;
  /** The speaker of the request, with a connection of its own. Of a route for anybody: a speaker without a name. */
  readonly caller: Caller;
  /** When the proof of the speaker ends, in milliseconds since 1970; null: it does not. */
  readonly expiresAt: number | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body of a route with `bytes`. */
  readonly bytes: Uint8Array;
  /** Counts a request whose kind its body says. Throws an `HttpProblem` past a limit. */
  count(kind: RequestKind): void;
}

/** `null`: the handler has sent, or will send, the response itself. */
export type HttpReply = {
  readonly status: number;
  /** Bytes are sent as they are, a text too; anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
} | null;

type Parsed<S extends RouteSchemas, Part extends keyof RouteSchemas> = S[Part] extends z.ZodType
  ? z.infer<S[Part]>
  : undefined;

/** What the schemas of a route have made of a request. */
export interface RouteInput<S extends RouteSchemas> {
  readonly params: Parsed<S, 'params'>;
  readonly query: Parsed<S, 'query'>;
  readonly headers: Parsed<S, 'headers'>;
  readonly body: Parsed<S, 'body'>;
}

/** A route with its handler, whatever its schemas are. */
export interface HttpRoute extends RouteDeclaration {
  handle(input: RouteInput<RouteSchemas>, call: HttpCall): Promise<HttpReply> | HttpReply;
}

/** Declares a route. Its handler gets what the schemas have made of the request; an `HttpProblem` that it throws becomes the reply. */
export function route<const S extends RouteSchemas>(
  declaration: RouteDeclaration<S> & {
    handle(input: RouteInput<S>, call: HttpCall): Promise<HttpReply> | HttpReply;
  },
): HttpRoute {
  return declaration as unknown as HttpRoute; // the server parses with these schemas before it calls the handler
}
