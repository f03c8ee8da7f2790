// The types of one call on a server of tools.
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import type { McpFailure } from './mcp-failure.ts';

export interface CallRequest {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface CallObserver {
  readonly signal: AbortSignal;
  readonly skipGrace: AbortSignal;
  /** Not called after the signal. */
  onProgress(progress: Progress): void;
}

export type CallEnd =
  | { readonly kind: 'completed'; readonly result: CallToolResult }
  /** Nothing of it is left in this process. `isSeen`: nor on the side of the server, as far as can be known. */
  | { readonly kind: 'stopped'; readonly forced: boolean; readonly isSeen: boolean }
  | { readonly kind: 'failed'; readonly failure: McpFailure }
  /** Never sent: it may be made again in another session. */
  | { readonly kind: 'unsent' };
