// What a connection needs of its transport beyond what the SDK needs: an end that is seen, and its reason.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { FailureCode } from '../../machines/codes.ts';
import type { StartedProcess } from '../tools/tool.ts';

/** Why a wire has come to its end; the first reason wins. */
export interface Reason {
  /** `closed` by us; `lost`: the server ended, or cannot be reached; `protocol`: it sent what MCP does not allow. */
  readonly kind: 'closed' | 'lost' | 'protocol';
  readonly message: string;
}

export interface WireEnd extends Reason {
  /** A process had to be killed. */
  readonly forced: boolean;
}

export interface Wire extends Transport {
  /** The id of the newest request that was sent; -1: none. */
  readonly newestId: number;
  /** Not null from the moment on in which it begins to end. */
  readonly reason: Reason | null;
  /** Resolves when nothing of it is left: no process, no socket, no timer. */
  readonly ended: Promise<WireEnd>;
  /** What lies in the pipe to a process, because it has not read it yet. */
  readonly unreadBytes: number;
  /** Of a server that is a process of ours. */
  readonly process: StartedProcess | null;
  /** `kindly`: the server has a while to leave by itself. */
  end(reason: Reason, how: 'kindly' | 'now'): void;
  /** Skips every grace of an end that has begun. */
  kill(): void;
  /** Nobody waits for this answer any more: what would bring it is closed. */
  leave(id: RequestId): void;
  /** A request was answered, also one that nobody waits for by then. */
  onanswer: ((id: RequestId) => void) | undefined;
}

/** Nobody was asked. */
const unasked: readonly FailureCode[] = ['mcp_unavailable', 'too_large'];

/** Why a call fails. The message goes on from the server's name. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
  readonly code: FailureCode;
  /** Where nobody was asked: `none`. */
  readonly effect: 'none' | undefined;

  constructor(message: string, { code, cause }: { readonly code: FailureCode; readonly cause?: unknown }) {
    super(message, { cause });
    this.code = code;
    this.effect = unasked.includes(code) ? 'none' : undefined;
  }
}

/** The session was over before the call came: nobody has heard it. */
export class Unheard extends McpFailure {
  constructor() {
    super('has ended the session', { code: 'mcp_unavailable' });
  }
}

const codes = { closed: 'mcp_lost', lost: 'mcp_lost', protocol: 'mcp_protocol' } as const;

export const failureOf = ({ kind, message }: Reason): McpFailure => new McpFailure(message, { code: codes[kind] });
