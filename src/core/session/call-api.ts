// Commands about calls that a bridge or a program runs itself, and the replies.
import type { TurnOpened } from '../../../machines/facts.ts';
import type { Cause, Effect, NodeId } from '../../../machines/vocabulary.ts';
import type { Caller } from './caller.ts';

/** A call that the caller runs itself: a job elsewhere, a function call of a model that speaks by itself. */
export interface OpenCallRequest {
  readonly ref?: string | undefined;
  /** As the name of a tool. */
  readonly name: string;
  /** Its arguments, as JSON. Left out: an empty object. */
  readonly input?: unknown;
  /** What it may do once it runs: `none` (it only reads) or `some`, the default. */
  readonly effect?: 'none' | 'some' | undefined;
  /** It needs the yes of its owner, also where the configuration asks for none. */
  readonly approval?: boolean | undefined;
  /** Milliseconds after which it is stopped with cause `deadline`. Left out: as a tool that declares none. */
  readonly timeoutMs?: number | undefined;
}

/** The speaker has opened no such call here, or it has settled. */
export interface NoOpenCall {
  readonly type: 'unknown_call' | 'call_settled';
}

export type OpenCallReply =
  /** `node`: the call, `turn`: its turn. `repeated`: the fact, if an earlier OPEN_CALL of the same speaker under the same ref has opened it. */
  | { readonly type: 'call_opened'; readonly node: NodeId; readonly turn: NodeId; readonly repeated?: TurnOpened }
  | { readonly type: 'too_many_calls'; readonly limit: number }
  | { readonly type: 'timeout_out_of_range'; readonly message: string; readonly limit: number }
  | { readonly type: 'ref_reused' };

/** Live output of a call that runs. */
export interface ReportCallRequest {
  readonly node: NodeId;
  readonly text: string;
}

export type ReportCallReply = { readonly type: 'reported' } | NoOpenCall;

/** How such a call has ended. */
export interface SettleCallRequest {
  readonly ref?: string | undefined;
  readonly node: NodeId;
  /** `stopped`: it obeyed a stop. What completed stays completed, also after a stop. */
  readonly outcome: 'completed' | 'failed' | 'stopped';
  readonly output?: string | undefined;
  /** What one that failed or was stopped may have done, if the caller knows it better than its `effect`. */
  readonly effect?: Exclude<Effect, 'not_started'> | undefined;
  /** Why it failed. */
  readonly message?: string | undefined;
}

export type SettleCallReply = { readonly type: 'settled'; readonly node: NodeId } | NoOpenCall;

/** A call is to stop. It is abandoned if nobody settles it within `budgetMs`. */
export interface CallStop {
  readonly node: NodeId;
  readonly cause: Pick<Cause, 'source' | 'by' | 'reason'>;
  /** Milliseconds that are left. */
  readonly budgetMs: number;
  /** End every wait that is only polite. */
  readonly force: boolean;
}

/** The commands about calls that a bridge or a program runs itself. They reject as those of `Runtime`. */
export interface CallRuntime {
  /** Opens a call for the caller, in a turn of its own. Its turn starts at once; the call, when it has passed its gates (`tool_started`). */
  open(session: string, caller: Caller, request: OpenCallRequest): Promise<OpenCallReply>;
  /** Publishes output of a call. It is not part of the result; before its start and after its end it is dropped. */
  report(session: string, caller: Caller, request: ReportCallRequest): Promise<ReportCallReply>;
  /** Settles a call with its result. */
  settle(session: string, caller: Caller, request: SettleCallRequest): Promise<SettleCallReply>;
}
