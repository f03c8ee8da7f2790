// The contract between a connection and its transport: that of the SDK, and an end that can be awaited, with its reason.
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/client';
import type { StartedProcess } from '../../core/contracts/tool.ts';

/** Why a transport is closed; the first reason wins. */
export interface CloseReason {
  /** `closed` by us; `lost`: the server ended, or cannot be reached; `protocol`: it sent what MCP does not allow. */
  readonly kind: 'closed' | 'lost' | 'protocol';
  /** The rest of a sentence that starts with the server's name. */
  readonly message: string;
}

export interface TransportEnd extends CloseReason {
  /** A process had to be killed. */
  readonly forced: boolean;
}

export type TransportState =
  | { readonly phase: 'open' }
  /** From the first reason to close it. */
  | { readonly phase: 'closing'; readonly reason: CloseReason };

export interface ServerTransport extends Transport {
  readonly state: TransportState;
  /** Resolves when nothing of it is left: no process, no socket, no timer. */
  readonly ended: Promise<TransportEnd>;
  /** Bytes in the pipe to a process that it has not read yet. */
  readonly unreadBytes: number;
  /** The process of the server; null if it is none of ours. */
  readonly process: StartedProcess | null;
  /** `gracefully`: the server has some time to exit by itself. */
  shutDown(reason: CloseReason, pace: 'gracefully' | 'now'): void;
  /** Skips every grace of a shutdown under way. */
  kill(): void;
  /** Drops the response to this request; what would bring it is closed. */
  forgetRequest(id: RequestId): void;
  /** Called for each request, before it is sent. */
  onrequest: ((request: JSONRPCRequest) => void) | undefined;
  /** Called for each response, also to a forgotten request, before `onmessage`. */
  onresponse: ((id: RequestId, response: JSONRPCMessage) => void) | undefined;
}
