// The types of one call on a server of tools.
import type { CallToolResult, Tool as ListedTool, Progress } from '@modelcontextprotocol/client';
import type { Elicitation, ElicitationReply } from './elicitation.ts';
import type { McpFailure } from './mcp-failure.ts';

export interface CallRequest {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** The schema of its arguments, as the server has listed it. */
  readonly inputSchema: ListedTool['inputSchema'];
  /** The server runs it as a task only. */
  readonly isTask: boolean;
}

export interface CallObserver {
  readonly signal: AbortSignal;
  readonly skipGrace: AbortSignal;
  /** Asks the speaker of the call for values that the server needs. Never rejects. */
  elicit(request: Elicitation): Promise<ElicitationReply>;
  /** Receives the progress of the call, until the signal fires. */
  onProgress(progress: Progress): void;
}

/** Nothing of the call is left in this process. */
export interface StoppedEnd {
  readonly kind: 'stopped';
  readonly forced: boolean;
  /** Nothing of it is left on the side of the server either, as far as can be known. */
  readonly isSeen: boolean;
  /** The result that came after the cancel: evidence of what the call has done. */
  readonly lateResult?: CallToolResult | undefined;
  /** `none`: it was never sent. Left out: it is not known. */
  readonly effect?: 'none';
}

/** The end of a call that was stopped before it was sent. */
export const stoppedUnsent: StoppedEnd = { kind: 'stopped', forced: false, isSeen: true, effect: 'none' };

export type ServerCallEnd =
  | { readonly kind: 'completed'; readonly result: CallToolResult }
  | StoppedEnd
  | { readonly kind: 'failed'; readonly failure: McpFailure }
  /** The call was not sent: it may be made again in another session. */
  | { readonly kind: 'unsent' };
