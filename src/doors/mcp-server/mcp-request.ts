// One request of an MCP client: its door, who asks, and what the SDK has of it.
import { ProtocolError, ProtocolErrorCode, type RequestId, type ServerContext } from '@modelcontextprotocol/server';
import { dropUndefined } from '../../core/collections/fields.ts';
import type { Caller } from '../../core/session/api.ts';
import type { TurnFollower } from '../../gateway/http/follow-turn.ts';
import type { HttpServices } from '../../gateway/http/http-services.ts';
import { type HttpProblem, problemOfRuntime } from '../../gateway/http/problems.ts';
import type { DoorSettings } from '../door-turns/door-profiles.ts';

/** The door, as a gateway or a program of its own has it. */
export interface McpDoor {
  readonly settings: DoorSettings;
  readonly services: TurnFollower['services'] & Pick<HttpServices, 'clock' | 'ids'>;
}

/** The sender of a request. */
export interface McpSender {
  readonly caller: Caller;
  /** The response whose closing is a lost connection, and no cancellation. Null: a closed connection is a cancellation, or the end of the process. */
  readonly response: TurnFollower['response'] | null;
  /** Closes the stream of a request that was cancelled: it gets no answer, and counts as a connection until it is closed. */
  readonly closeStream?: ((id: RequestId) => void) | undefined;
}

/** Calls the listener when the response is closed, also if it is already. */
export function whenClosed(response: TurnFollower['response'], listener: () => void): void {
  if (response.destroyed) listener();
  else response.on('close', listener);
}

/** `modern`: from 2026-07-28 on, without requests of the server. */
export type McpEra = 'legacy' | 'modern';

export interface McpRequest {
  readonly door: McpDoor;
  readonly era: McpEra;
  readonly sender: McpSender;
  readonly ctx: ServerContext;
}

/** The code for a request that has to wait, of the range that JSON-RPC leaves to servers. */
const busyCode = -32_000;
const codes: Readonly<Partial<Record<HttpProblem['code'], number>>> = {
  not_json: ProtocolErrorCode.ParseError,
  unsupported_media_type: ProtocolErrorCode.InvalidRequest,
};

/** Returns the code of JSON-RPC: whether the request is wrong, has to wait, or is not to blame. */
function rpcCodeOf({ code, status }: HttpProblem): number {
  const own = codes[code];
  if (own !== undefined) return own;
  if (status === 429) return busyCode;
  return status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
}

/** Returns the error of a problem in the form of JSON-RPC: `data` has our code. */
export function rpcErrorOf(problem: HttpProblem): {
  readonly code: number;
  readonly message: string;
  readonly data: object;
} {
  const { code, detail, field, limit } = problem.document;
  return { code: rpcCodeOf(problem), message: detail, data: { code, ...dropUndefined({ field, limit }) } };
}

/** Runs the handler of a request. What it throws becomes an error in the form of JSON-RPC. */
export const withRpcErrors = <Answer>(handle: () => Promise<Answer>): Promise<Answer> =>
  handle().catch((error) => {
    if (error instanceof ProtocolError) throw error;
    const { code, message, data } = rpcErrorOf(problemOfRuntime(error));
    throw new ProtocolError(code, message, data);
  });
