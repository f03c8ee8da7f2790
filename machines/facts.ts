// The facts of a session: what its transcript holds and its clients hear, in the order of the journal.
// Types are snake_case, fields camelCase. Every field is JSON.
import type {
  Cause,
  CauseSource,
  Effect,
  NodeId,
  NodeKind,
  OutcomeKind,
  Policy,
  SessionKind,
  SpeakerId,
  Usage,
} from './vocabulary.ts';

/** A conversation place was opened for the first time. */
export interface SessionOpened {
  readonly type: 'session_opened';
  readonly kind: SessionKind;
  readonly policy: Policy;
}

/** A root turn exists, with the words that caused it. It may still wait in its lane. */
export interface TurnOpened {
  readonly type: 'turn_opened';
  readonly turn: NodeId;
  /** `say`: somebody spoke. `agent`: a detached sub-agent. */
  readonly kind: 'say' | 'agent';
  readonly owner: SpeakerId;
  readonly lane: string;
  readonly text: string;
  /** The ref of the SAY; null where nobody said it. */
  readonly ref: string | null;
  /** The turn whose call detached it. */
  readonly from?: NodeId;
  /** The agent's name in the configuration. */
  readonly agent?: string;
}

/** A turn was admitted: a root one by its lane, a sub-agent's by its call. */
export interface TurnStarted {
  readonly type: 'turn_started';
  readonly turn: NodeId;
  readonly owner: SpeakerId;
  /** The sub-agent that it belongs to; null for a root turn. */
  readonly parent: NodeId | null;
  /** The task of a sub-agent's turn. */
  readonly text?: string;
  readonly agent?: string;
}

/** A model request is about to be sent. */
export interface ModelStarted {
  readonly type: 'model_started';
  readonly turn: NodeId;
  /** Counts the model calls of a turn, from 0: with `turn` the address of the text block that it streams. */
  readonly index: number;
}

/** Part of a text block, written while it streams, so that a crash loses little. */
export interface TextCheckpoint {
  readonly type: 'text_checkpoint';
  readonly turn: NodeId;
  readonly index: number;
  /** Where `text` begins in its block, in UTF-16 code units. */
  readonly offset: number;
  readonly text: string;
}

/** A model call is over. Its text is whole: clients replace their block by it. */
export interface ModelEnded {
  readonly type: 'model_ended';
  readonly turn: NodeId;
  readonly index: number;
  readonly outcome: 'completed' | 'cancelled' | 'failed';
  readonly code?: string;
  readonly message?: string;
  readonly text: string;
  /** The text ends where it was stopped. */
  readonly cutOff: boolean;
  readonly usage: Usage;
  /** After a crash: what was streamed behind this offset is lost. */
  readonly lostAfter?: number;
}

/** The model asked for a tool or a sub-agent. */
export interface ToolCall {
  readonly type: 'tool_call';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly kind: Extract<NodeKind, 'tool-call' | 'sub-agent'>;
  /** The provider's id of the call; may repeat. */
  readonly callId: string;
  readonly name: string;
  /** As the model wrote them: a JSON text, perhaps malformed. */
  readonly arguments: string;
  readonly owner: SpeakerId;
  /** Which model call of the turn asked. */
  readonly index: number;
}

/** Durable before the tool runs. A call without it has not been entered. */
export interface ToolStarted {
  readonly type: 'tool_started';
  readonly turn: NodeId;
  readonly node: NodeId;
}

/** A process that is started once by a host, for the calls of all its sessions. */
export interface SharedProcess {
  /** Instead of the call's id its environment bears this. */
  readonly marker: string;
  /** The process of the host. While it lives, what is shared is its own to end. */
  readonly host: { readonly pid: number; readonly startTime: string };
}

/** A tool's process, so that a later life can find and terminate it. Its environment bears `BELAY_NODE=<node>`. */
export interface ProcessStarted {
  readonly type: 'process_started';
  readonly node: NodeId;
  /** The process group, which is the pid of its leader. */
  readonly group: number;
  /** The leader's start time as the system tells it; an opaque text. */
  readonly startTime: string;
  /** Where it is not this call's alone. */
  readonly shared?: SharedProcess;
}

/** An interceptor has changed the arguments of a call before it ran. The model goes on seeing its own. */
export interface ToolChanged {
  readonly type: 'tool_changed';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly arguments: string;
}

/** A call may run only when somebody says yes; or a running one, like an outside agent, asks for leave. */
export interface ApprovalRequested {
  readonly type: 'approval_requested';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly to: SpeakerId;
  readonly text: string;
  /** Milliseconds since 1970; null: it does not expire. */
  readonly expiresAt: number | null;
}

/** It has one end: an answer, or `withdrawn` when the call was stopped first. */
export interface ApprovalClosed {
  readonly type: 'approval_closed';
  readonly node: NodeId;
  readonly answer: 'approved' | 'denied' | 'withdrawn';
  readonly by: SpeakerId | null;
  readonly ref: string | null;
}

/** A running call asks somebody. */
export interface QuestionAsked {
  readonly type: 'question_asked';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly to: SpeakerId;
  readonly text: string;
  /** Empty: any words are an answer. */
  readonly choices: readonly string[];
  readonly expiresAt: number | null;
}

export interface QuestionClosed {
  readonly type: 'question_closed';
  readonly node: NodeId;
  readonly answer: 'answered' | 'withdrawn';
  /** What was answered. */
  readonly text: string | null;
  readonly by: SpeakerId | null;
  readonly ref: string | null;
}

/** A call has not ended in its time: the CANCEL with cause `deadline` follows. */
export interface ToolTimeout {
  readonly type: 'tool_timeout';
  readonly node: NodeId;
  readonly ms: number;
}

/** Turns have been shortened to a summary, which later requests carry instead of them and of what the summary before stood for. */
export interface HistoryCompacted {
  readonly type: 'history_compacted';
  readonly turn: NodeId;
  /** The first of the settled turns that are still told in full; `turn` where none is. */
  readonly upTo: NodeId;
  /** The turns that were shortened. One that was open then is told in full when it has settled. */
  readonly covers: readonly NodeId[];
  readonly summary: string;
  readonly usage: Usage;
}

export interface ToolResult {
  readonly type: 'tool_result';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string;
  readonly message?: string;
  readonly output?: string;
  readonly omitted?: number;
  readonly forced?: boolean;
  readonly ms?: number;
  readonly usage?: Usage;
}

/** What became of a call that its turn had left behind (`continues`). Evidence: it changes nothing. */
export interface LateResult {
  readonly type: 'late_result';
  readonly node: NodeId;
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly output?: string;
}

/** What had been abandoned has ended. */
export interface AbandonedEnded {
  readonly type: 'abandoned_ended';
  readonly node: NodeId;
  readonly output?: string;
}

export interface TurnEnded {
  readonly type: 'turn_ended';
  readonly turn: NodeId;
  readonly outcome: OutcomeKind;
  /** What the calls of the turn have done together. */
  readonly effect: Effect;
  readonly code?: string;
  readonly message?: string;
  /** Of the whole tree below the turn, detached agents apart. */
  readonly usage: Usage;
}

export interface Refusal {
  readonly node: NodeId;
  /** Why the speaker has no standing: a name from docs/errors.md. */
  readonly reason: string;
}

/** The plan of a CANCEL, parted over the unsettled live nodes. */
export interface CancelAccepted {
  readonly type: 'cancel_accepted';
  /** The receipt's id. */
  readonly cancel: string;
  readonly ref: string | null;
  readonly source: CauseSource;
  readonly by: SpeakerId | null;
  readonly reason: string | null;
  readonly target: string;
  readonly force: boolean;
  readonly stopping: readonly NodeId[];
  /** Shielded for now: stopped when their regions end, `pendingMs` from the acceptance at the latest. */
  readonly pending: readonly NodeId[];
  readonly pendingMs?: number;
  readonly refused: readonly Refusal[];
  readonly detached: readonly NodeId[];
}

/** A CANCEL by one who has standing over nothing that it names. */
export interface CancelRefused {
  readonly type: 'cancel_refused';
  readonly ref: string | null;
  readonly source: CauseSource;
  readonly by: SpeakerId | null;
  readonly target: string;
  readonly refused: readonly Refusal[];
}

export interface SettledNode {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string;
  readonly forced?: boolean;
  /** From the acceptance to the node's outcome. */
  readonly ms: number;
}

/** What became of each node that `cancel_accepted` listed as stopping or pending. */
export interface CancelSettled {
  readonly type: 'cancel_settled';
  readonly cancel: string;
  readonly ref: string | null;
  readonly cause: Cause;
  readonly nodes: readonly SettledNode[];
}

/** The last host of this session died without a shutdown: what was open has been closed by the facts before this one. */
export interface SessionRecovered {
  readonly type: 'session_recovered';
  readonly turns: readonly NodeId[];
}

export type Fact =
  | SessionOpened
  | TurnOpened
  | TurnStarted
  | ModelStarted
  | TextCheckpoint
  | ModelEnded
  | ToolCall
  | ToolStarted
  | ProcessStarted
  | ToolChanged
  | ApprovalRequested
  | ApprovalClosed
  | QuestionAsked
  | QuestionClosed
  | ToolTimeout
  | HistoryCompacted
  | ToolResult
  | LateResult
  | AbandonedEnded
  | TurnEnded
  | CancelAccepted
  | CancelRefused
  | CancelSettled
  | SessionRecovered;

export type FactType = Fact['type'];
export type FactOf<T extends FactType> = Extract<Fact, { type: T }>;

/** A fact with the time at which the journal took it, in milliseconds since 1970. */
export type Recorded = Fact & { readonly at: number };

/** A fact with its sequence number in the log of its session. */
export interface SequencedFact {
  readonly seq: number;
  readonly fact: Recorded;
}
