// The facts of a session: the entries of its transcript, which clients receive in the same order.
// Types are snake_case, fields camelCase. Every field is JSON.
import type { ContentPart } from './content.ts';
import type { ProviderState } from './messages.ts';
import type { TurnOptions } from './model-options.ts';
import type { JsonSchema } from './tool-declaration.ts';
import type {
  Cause,
  CauseSource,
  DeferredFate,
  Effect,
  Finish,
  NodeId,
  NodeKind,
  Outcome,
  OutcomeKind,
  Policy,
  ResumePhrases,
  Role,
  RoomRole,
  SessionKind,
  SpeakerId,
  StopDetails,
  Usage,
  WordsCommand,
} from './vocabulary.ts';
import type {
  SpeechCut,
  SpeechEnded,
  SpeechQueued,
  SpeechStarted,
  SpokenWords,
  TranscriptDropped,
} from './voice-facts.ts';

export type { SpeechCut, SpeechEnded, SpeechQueued, SpeechStarted, TranscriptDropped } from './voice-facts.ts';

/** Where a session comes from that began as a fork of another one. */
export interface ForkOrigin {
  readonly session: string;
  /** The turn that it goes on from, by its id there: its copy here has another one. */
  readonly turn: NodeId;
  /** The sequence number of the end of that turn there. What was not settled by then is not here. */
  readonly seq: number;
  /** The sequence number of the last fact here that was copied: none of them happened here. */
  readonly copied: number;
}

/** The session was opened for the first time, or forked. */
export interface SessionOpened {
  readonly type: 'session_opened';
  readonly kind: SessionKind;
  readonly policy: Policy;
  /** The speaker who opened it, and owns it; null: a program did. Left out by versions that kept no owner. */
  readonly by?: SpeakerId | null;
  /** The session and the turn that it was forked from. Left out: it began empty. */
  readonly forked?: ForkOrigin;
  /** Whether words that go on resume a stopped turn, where the configuration does not say. Left out by versions that had no such words: `off`. */
  readonly resumePhrases?: ResumePhrases;
}

/**
 * What a session was opened with, beside the configuration of the host: it counts on every host that opens it. A pattern is the name of a tool, or the beginning of names followed
 * by `*`.
 */
export interface OpeningOptions {
  /** A name for these options, for the configuration of a host. */
  readonly profile?: string;
  /** Who may stop what. */
  readonly policy?: Policy;
  /** Patterns of the tools that are offered, of those that the host has. */
  readonly tools?: readonly string[];
  /** Patterns of the tools of which each call needs approval first. */
  readonly approve?: readonly string[];
  /** Absolute folders that tools may touch. */
  readonly roots?: readonly string[];
  /** MCP servers of this session alone, in the form of the configuration. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
}

/** The session was opened with options. It follows `session_opened`, in the same commit. It has folders and commands of the host: no client receives it. */
export interface SessionConfigured {
  readonly type: 'session_configured';
  readonly options: OpeningOptions;
}

/** A message of a conversation that was brought from elsewhere. */
export interface ImportedMessage {
  readonly role: 'user' | 'assistant';
  /** The words; where `parts` is given, its text form. */
  readonly text: string;
  /** Present where there is more than text: all of it, in its order. */
  readonly parts?: readonly ContentPart[];
}

/**
 * A conversation that was held elsewhere, and that this one goes on from. The model reads it; calls and results in it are words, of which nobody here knows whether they are
 * true: nothing in it can be resumed, stopped or held back. User and assistant take turns.
 */
export interface Imported {
  readonly type: 'imported';
  readonly by: SpeakerId;
  /** The door that it came by. Left out: none has said. */
  readonly door?: string;
  readonly messages: readonly ImportedMessage[];
}

/** A speaker was made a member of the session. */
export interface MemberInvited {
  readonly type: 'member_invited';
  readonly speaker: SpeakerId;
  /** The speaker who invited; null: a program did. Of a link: who has made it. */
  readonly by: SpeakerId | null;
  readonly ref: string | null;
  /** The role of the speaker in this session; it replaces the one before. Left out: `member`. */
  readonly role?: RoomRole;
  /** The id of the invite link that the speaker has used. Left out: they were invited by name. */
  readonly invite?: string;
}

/** A link was made that lets one speaker into the session, once. */
export interface InviteCreated {
  readonly type: 'invite_created';
  /** The id of the link; it opens nothing. */
  readonly invite: string;
  readonly role: RoomRole;
  /** Until when it can be used, in milliseconds since 1970. */
  readonly until: number;
  /** The speaker who has made it; null: a program did. */
  readonly by: SpeakerId | null;
  readonly ref: string | null;
}

/** The hash of the secret in an invite link, in the commit of its `invite_created`. A record only: it stays on the host. */
export interface InviteSecret {
  readonly type: 'invite_secret';
  readonly invite: string;
  /** The SHA-256 of the secret, in base64url. The secret itself is nowhere. */
  readonly hash: string;
}

/** An invite link was revoked before it was used. */
export interface InviteRevoked {
  readonly type: 'invite_revoked';
  readonly invite: string;
  /** The speaker who has revoked it; null: a program did. */
  readonly by: SpeakerId | null;
  readonly ref: string | null;
}

/** A speaker has named another one who may stop what is theirs. It replaces the one before of the same two speakers and the same target. */
export interface StopDelegated {
  readonly type: 'stop_delegated';
  readonly by: SpeakerId;
  readonly to: SpeakerId;
  /** `mine`: every node of `by`. A node id: what `by` owns at and below it. */
  readonly target: string;
  /** Until when it holds, in milliseconds since 1970; null: until another one ends it. A time that is over ends it now. */
  readonly until: number | null;
  readonly ref: string | null;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
}

/** A speaker was removed from the members of the session. */
export interface MemberRemoved {
  readonly type: 'member_removed';
  readonly speaker: SpeakerId;
  /** The speaker who removed; null: a program did. */
  readonly by: SpeakerId | null;
  readonly ref: string | null;
}

/** The timeout of a tool was set for the calls of the session that start from then on. It replaces the one before. */
export interface ToolTimeoutSet {
  readonly type: 'tool_timeout_set';
  readonly tool: string;
  /** Milliseconds; null: as it is configured. */
  readonly ms: number | null;
  /** The speaker who has set it; null: a program did. */
  readonly by: SpeakerId | null;
  readonly ref: string | null;
}

/** The session was given a title. It replaces the one before. */
export interface SessionRenamed {
  readonly type: 'session_renamed';
  /** One line; null: none, so that its first words name it. */
  readonly title: string | null;
  /** The speaker who has given it; null: a program did. */
  readonly by: SpeakerId | null;
  readonly ref: string | null;
}

/** A root turn was opened: by a SAY or a RESUME, by a call that detaches a sub-agent, by the runtime after a stop, or for a call that somebody else runs. It may still wait in its lane. */
export interface TurnOpened {
  readonly type: 'turn_opened';
  readonly turn: NodeId;
  /**
   * `say`: a speaker's SAY or RESUME. `agent`: a detached sub-agent. `acknowledgement`: the model's words on a stop, to its owner, who caused the stop. `call`: an
   * OPEN_CALL; the turn calls no model, and has this one call.
   */
  readonly kind: 'say' | 'agent' | 'acknowledgement' | 'call';
  readonly owner: SpeakerId;
  readonly lane: string;
  /** The words of the speaker; empty for an acknowledgement and a call. */
  readonly text: string;
  /** Present where more than text was said: all of it, in its order. `text` is then its text form. */
  readonly parts?: readonly ContentPart[];
  /** What the SAY asks of the model calls of its turn. */
  readonly options?: TurnOptions;
  /** The interrupted turn that it takes up again: a RESUME has opened it. `text` is empty where the RESUME had no words. */
  readonly resumes?: NodeId;
  /** The ref of the SAY, RESUME or OPEN_CALL; null: there was none with a ref. */
  readonly ref: string | null;
  /** The type of its command. Left out: RESUME with `resumes`, TRANSCRIPT with `spoken`, else SAY. */
  readonly command?: WordsCommand;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
  /** Present where its words are a transcript. */
  readonly spoken?: SpokenWords;
  /** The turn whose call detached it. */
  readonly from?: NodeId;
  /** The agent's name in the configuration. */
  readonly agent?: string;
  /** The id of the receipt that an acknowledgement is of. */
  readonly cancel?: string;
  /** The id of the call of an OPEN_CALL. */
  readonly call?: NodeId;
}

/**
 * Words were said to a turn that is running: its next model call reads them. Until then they are a node of the live tree, below that turn. An
 * `input_settled` follows.
 */
export interface InputDeferred {
  readonly type: 'input_deferred';
  /** The id of the input, and of the turn that it opens if it is `queued`. */
  readonly input: NodeId;
  /** The turn that it is for. */
  readonly turn: NodeId;
  readonly owner: SpeakerId;
  readonly text: string;
  /** Present where more than text was said: all of it, in its order. `text` is then its text form. */
  readonly parts?: readonly ContentPart[];
  /** For the model calls of the turn that it may open. */
  readonly options?: TurnOptions;
  readonly ref: string | null;
  /** The type of its command. Left out: TRANSCRIPT with `spoken`, else STEER. */
  readonly command?: WordsCommand;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
  /** Present where its words are a transcript. */
  readonly spoken?: SpokenWords;
}

/** What became of a deferred input. There is one for each. */
export interface InputSettled {
  readonly type: 'input_settled';
  readonly input: NodeId;
  /** The turn that it was for. */
  readonly turn: NodeId;
  readonly owner: SpeakerId;
  /** `queued`: the turn has ended without it, and its `turn_opened` follows. */
  readonly fate: DeferredFate;
  /** The `index` of the model call that reads a `consumed` input. */
  readonly index?: number;
  /** The reason why an input was `cancelled` without a CANCEL. */
  readonly code?: string;
}

/** A turn was admitted: a root turn by its lane, the turn of a sub-agent by its call. */
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
  /** The number of the model call in its turn, from 0. `turn` and `index` are the address of the text block that it streams. */
  readonly index: number;
  /** The endpoint's name of the model. Left out: it is not known, or the log is of an earlier version. */
  readonly model?: string;
}

/** A part of a text block, appended while it streams, so that a crash loses little. */
export interface TextCheckpoint {
  readonly type: 'text_checkpoint';
  readonly turn: NodeId;
  readonly index: number;
  /** The position of `text` in its block, in UTF-16 code units. */
  readonly offset: number;
  readonly text: string;
}

/**
 * A model call has ended. `text` is the complete text block: clients replace their own by it. `abandoned`: it was stopped, and the provider
 * has not ended it in time.
 */
export interface ModelEnded {
  readonly type: 'model_ended';
  readonly turn: NodeId;
  readonly index: number;
  readonly outcome: 'completed' | 'cancelled' | 'failed' | 'abandoned';
  readonly code?: string;
  readonly message?: string;
  readonly text: string;
  /** Whether the call was stopped before the text was complete. */
  readonly cutOff: boolean;
  /** Whose turn it is. This and the field below: logs of version 0.1 have none. */
  readonly owner?: SpeakerId;
  /** How a call that completed has ended. */
  readonly finish?: Finish;
  readonly usage: Usage;
  /** After a crash: the text that was streamed after this offset is lost. */
  readonly lostAfter?: number;
}

/**
 * The provider state of the response of a model call. Written before `model_ended`, in the same commit; not written for a call that
 * was cut off.
 */
export interface ModelState extends ProviderState {
  readonly type: 'model_state';
  readonly turn: NodeId;
  readonly index: number;
}

/**
 * What the provider of a model said of a call that failed, in its own words, which may have addresses and names of accounts. Written before `model_ended`, in the same
 * commit, where speakers do not get these words: `model_ended` and `turn_ended` then have the sentence of the code. A record only: it stays on the host.
 */
export interface ModelError {
  readonly type: 'model_error';
  readonly turn: NodeId;
  readonly index: number;
  readonly message: string;
}

/** The model asked for a tool or a sub-agent. */
export interface ToolCall {
  readonly type: 'tool_call';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly kind: Extract<NodeKind, 'tool-call' | 'sub-agent'>;
  /** The provider's id of the call. It may repeat. */
  readonly callId: string;
  readonly name: string;
  /** A JSON text as the model wrote it, perhaps malformed. */
  readonly arguments: string;
  readonly owner: SpeakerId;
  /** The `index` of the model call that asked for it. */
  readonly index: number;
  /** The provider itself runs it, within the model call. Left out: Belay does. */
  readonly ranBy?: 'provider';
}

/** A tool is about to run: it starts after this fact is durable. A call without this fact has never started. */
export interface ToolStarted {
  readonly type: 'tool_started';
  readonly turn: NodeId;
  readonly node: NodeId;
}

/** A process that a host starts once and shares among the calls of all its sessions. */
export interface SharedProcess {
  /** The marker in its environment, instead of the call's id. */
  readonly marker: string;
  /** The process of the host. As long as it runs, recovery does not terminate the shared process. */
  readonly host: { readonly pid: number; readonly startTime: string };
}

/** A tool has started a process. Recovery finds and terminates it by `BELAY_NODE=<node>` in its environment. */
export interface ProcessStarted {
  readonly type: 'process_started';
  readonly node: NodeId;
  /** The process group: the pid of its leader. */
  readonly group: number;
  /** The leader's start time as the system reports it: an opaque text. */
  readonly startTime: string;
  /** Present: other calls use the process too. */
  readonly shared?: SharedProcess;
}

/** An interceptor has changed the arguments of a call before it ran. The history that the model reads keeps the original ones. */
export interface ToolChanged {
  readonly type: 'tool_changed';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly arguments: string;
}

/** A call needs an approval: before it runs, or, if it runs already (an outside agent), before its next step. */
export interface ApprovalRequested {
  readonly type: 'approval_requested';
  readonly turn: NodeId;
  readonly node: NodeId;
  /** The id of the question: an answer names it. Logs of version 0.1 have none. */
  readonly question?: string;
  readonly to: SpeakerId;
  /** A long one is cut in its middle, and says how much is hidden. */
  readonly text: string;
  /** The text before it was cut, up to a limit. Left out: `text` is whole. */
  readonly whole?: string;
  /** The tool of the call. This and `arguments` are left out by a running call, which asks for its next step, and by versions that had `text` alone. */
  readonly name?: string;
  /** The arguments that run, as in `tool_call` or `tool_changed`. More than 65 536 characters are cut in their middle, and are no JSON any more. */
  readonly arguments?: string;
  /** What is to be said beside `name` and `arguments`; empty: nothing. Left out: all of `text`. */
  readonly remark?: string;
  /** In milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
}

/** An approval was answered, has expired, or was withdrawn because its call was stopped. There is one for each request. */
export interface ApprovalClosed {
  readonly type: 'approval_closed';
  readonly node: NodeId;
  readonly question?: string;
  readonly answer: 'approved' | 'denied' | 'withdrawn' | 'expired';
  /** Why it was denied, where no person has decided: `cannot_ask`. */
  readonly code?: string;
  readonly by: SpeakerId | null;
  readonly ref: string | null;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
}

/** A running call asks a speaker a question. */
export interface QuestionAsked {
  readonly type: 'question_asked';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly question?: string;
  readonly to: SpeakerId;
  readonly text: string;
  /** The answers to choose from; empty: any text is an answer. */
  readonly choices: readonly string[];
  /** A JSON Schema of the values that are asked for: an object whose properties are texts, numbers, booleans and lists of texts. */
  readonly schema?: JsonSchema;
  readonly expiresAt: number | null;
}

/** A question was answered, has expired, or was withdrawn because its call was stopped. There is one for each question. */
export interface QuestionClosed {
  readonly type: 'question_closed';
  readonly node: NodeId;
  readonly question?: string;
  readonly answer: 'answered' | 'withdrawn' | 'expired';
  /** The answer; null if there was none. */
  readonly text: string | null;
  readonly by: SpeakerId | null;
  readonly ref: string | null;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
}

/** The timeout of a call has passed: the CANCEL with cause `deadline` follows. */
export interface ToolTimeout {
  readonly type: 'tool_timeout';
  readonly node: NodeId;
  /** The name of the tool or the agent. Left out: the log is of an earlier version. */
  readonly name?: string;
  readonly ms: number;
}

/** Turns were replaced by a summary, which later model requests carry instead. It also replaces the previous summary. */
export interface HistoryCompacted {
  readonly type: 'history_compacted';
  readonly turn: NodeId;
  /** The first settled turn that later requests carry in full; `turn` if there is none. */
  readonly upTo: NodeId;
  /** The turns that the summary replaces. A turn that was open at that time is carried in full after it has settled. */
  readonly covers: readonly NodeId[];
  /** Whose turn it is. Logs of version 0.1 have none. */
  readonly owner?: SpeakerId;
  readonly summary: string;
  /** The endpoint's name of the model that wrote it. Left out: it is not known, or the log is of an earlier version. */
  readonly model?: string;
  readonly usage: Usage;
}

/** The limits left no room for these turns in the request of a turn. No later request has them, except that of a turn that resumes one. */
export interface TurnsLeftOut {
  readonly type: 'turns_left_out';
  /** The turn that the request was for. */
  readonly turn: NodeId;
  readonly turns: readonly NodeId[];
}

/** A call has settled. */
export interface ToolResult extends Omit<Outcome, 'kind'> {
  readonly type: 'tool_result';
  readonly turn: NodeId;
  readonly node: NodeId;
  readonly outcome: OutcomeKind;
}

/**
 * A call that ran on after the end of its turn (`continues`) has ended. A record only: no result changes. It has each field of an end that
 * a receipt lists. Logs of earlier versions have neither `code` nor `forced`.
 */
export interface LateResult
  extends Omit<ToolResult, 'type' | 'turn' | 'message' | 'parts' | 'omitted' | 'ms' | 'usage'> {
  readonly type: 'late_result';
}

/** An abandoned call has ended after all; or the model call, context or summary that a stopped turn had to abandon. */
export interface AbandonedEnded {
  readonly type: 'abandoned_ended';
  readonly node: NodeId;
  readonly output?: string;
}

/** A turn has settled. */
export interface TurnEnded {
  readonly type: 'turn_ended';
  readonly turn: NodeId;
  readonly outcome: OutcomeKind;
  /** The gravest effect of its calls. */
  readonly effect: Effect;
  readonly code?: string;
  readonly message?: string;
  /** Why the last response of its model ended. */
  readonly finish?: Finish;
  /** The sum over the turn and everything below it, without detached agents. */
  readonly usage: Usage;
  /** From its start to its end in milliseconds, whatever was done to the time of day meanwhile. Left out: it has not started in the process that ended it. */
  readonly ms?: number;
}

/** A node that a CANCEL does not stop, because its speaker has no standing over it. */
export interface Refusal {
  readonly node: NodeId;
  /** The reason: a code from docs/errors.md. */
  readonly reason: string;
}

/** Words that waited, for their turn or in a turn, when a CANCEL was accepted. */
export interface QueuedInput {
  /** The id of the turn that they have opened, or of the deferred input. */
  readonly input: NodeId;
  /** `cancelled`: the CANCEL stops it, and no model reads it before the next turn. `queued`: it starts when the stop of its lane has settled. */
  readonly fate: Exclude<DeferredFate, 'consumed'>;
}

/** A CANCEL was accepted. This is its plan: each unsettled live node at or below the target is in exactly one of the lists. */
export interface CancelAccepted {
  readonly type: 'cancel_accepted';
  /** The receipt's id. */
  readonly cancel: string;
  readonly ref: string | null;
  /** The type of the command that has the words of a stop phrase. Left out: SAY. */
  readonly command?: WordsCommand;
  readonly source: CauseSource;
  readonly by: SpeakerId | null;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
  /** The door that it came by. Left out: none has said, as in every log of versions without doors. */
  readonly door?: string;
  readonly reason: string | null;
  readonly target: string;
  readonly force: boolean;
  readonly stopping: readonly NodeId[];
  /** Shielded nodes: each is stopped when its region ends, at most `pendingMs` milliseconds after the acceptance. */
  readonly pending: readonly NodeId[];
  readonly pendingMs?: number;
  readonly refused: readonly Refusal[];
  readonly detached: readonly NodeId[];
  /** Nodes in the target that the CANCEL does not reach, because they are newer than its first sending. Left out: there are none. */
  readonly running?: readonly NodeId[];
  /** What becomes of the words that wait in the lanes of the stopped turns. Left out: none wait. */
  readonly queue?: readonly QueuedInput[];
}

/** A CANCEL was refused: its speaker has standing over no node at or below the target. */
export interface CancelRefused {
  readonly type: 'cancel_refused';
  readonly ref: string | null;
  readonly source: CauseSource;
  readonly by: SpeakerId | null;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
  readonly target: string;
  readonly refused: readonly Refusal[];
  /** The turn or the deferred input of its words: they were a stop phrase that stopped nothing, and the model reads them. Left out: it was no stop phrase. */
  readonly words?: NodeId;
}

/** A node as a decision on a CANCEL read it, and the verdict on it. */
export interface JudgedNode {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  /** The speaker whose turn has detached this work. Left out: its owner. */
  readonly requester?: SpeakerId;
  /** The speaker who is to answer its open question. Left out: none is open. */
  readonly addressee?: SpeakerId;
  /** Whether its owner has named the speaker to stop it; left out: it has not. */
  readonly isDelegated?: true;
  readonly may: boolean;
  readonly because: string;
}

/**
 * The inputs and the verdicts of a decision on who may stop what. Written before its acceptance or refusal, in the same commit. A record only: the same
 * inputs give the same verdicts again (`belay replay-decisions`). Causes of the runtime need no standing, and have none.
 */
export interface CancelDecided {
  readonly type: 'cancel_decided';
  /** The id of the receipt, if there is one. Left out: the decision denied a newer call that would replace an earlier one or, in logs of earlier versions, was on the speech of turns that have ended. */
  readonly cancel?: string;
  readonly source: CauseSource;
  readonly by: SpeakerId;
  readonly roles: readonly Role[];
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
  readonly target: string;
  readonly kind: SessionKind;
  readonly policy: Policy;
  /** `embedder`: the program's own rule gave the verdicts. */
  readonly rule: 'builtin' | 'embedder';
  readonly participants: number;
  /** The probability that the words were directed at the bot, from 0 to 1. Left out: nothing is known. */
  readonly addressed?: number;
  /** From which `addressed` on words count as directed at the bot. */
  readonly addressedFrom: number;
  readonly nodes: readonly JudgedNode[];
}

/**
 * A CANCEL with a ref found nothing to stop, or nothing that an earlier one does not stop. A record only: it dates the decision, for the
 * same CANCEL when it comes again.
 */
export interface CancelUnmatched {
  readonly type: 'cancel_unmatched';
  readonly ref: string;
  readonly by: SpeakerId;
  /** The speaker whose connection sent the command, where it is another one: a bridge. */
  readonly via?: SpeakerId;
  readonly target: string;
  /** The id of the receipt in the reply to a stop phrase. */
  readonly phraseOf?: string;
  /** As of `cancel_accepted`. */
  readonly command?: WordsCommand;
}

/** The outcome of one node of a receipt. */
export interface SettledNode extends StopDetails {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string;
  /** The time from the acceptance of the CANCEL to the outcome of the node, in milliseconds. */
  readonly ms: number;
  /**
   * When it was cut, its signal aborted, its machine got the CANCEL, it settled, and its work was seen to end: milliseconds from the acceptance. Null: there
   * was no such step, or it was not seen by then. Left out: none is known, as after a crash.
   */
  readonly times?: readonly (number | null)[];
}

/** A CANCEL has settled: the outcome of each node that `cancel_accepted` listed as stopping or pending. */
export interface CancelSettled {
  readonly type: 'cancel_settled';
  readonly cancel: string;
  readonly ref: string | null;
  readonly cause: Cause;
  readonly nodes: readonly SettledNode[];
}

/** How long a person waited for the sign that a stop was understood, and who that is. A receipt has one such sign at most. */
interface Sign {
  /** The id of the receipt. */
  readonly cancel: string;
  /** The speaker who has caused the stop. */
  readonly to: SpeakerId;
  /** From the acceptance of the CANCEL, in milliseconds. */
  readonly ms: number;
}

/** The first words of an acknowledgement have come. */
export interface Acknowledged extends Sign {
  readonly type: 'acknowledged';
  /** The acknowledgement. */
  readonly turn: NodeId;
}

/** An emoji stands for an acknowledgement in words: the session has none, or the model has failed or was too slow. */
export interface Reaction extends Sign {
  readonly type: 'reaction';
  readonly emoji: string;
}

/** A short sound stands for an acknowledgement in words, in a voice session. */
export interface Earcon extends Sign {
  readonly type: 'earcon';
  readonly sound: 'stopped';
}

/** The previous host of this session ended without a shutdown. Recovery has closed what was open, by the facts before this one. */
export interface SessionRecovered {
  readonly type: 'session_recovered';
  readonly turns: readonly NodeId[];
}

export type Fact =
  | SessionOpened
  | SessionConfigured
  | Imported
  | MemberInvited
  | MemberRemoved
  | InviteCreated
  | InviteSecret
  | InviteRevoked
  | StopDelegated
  | TurnOpened
  | InputDeferred
  | InputSettled
  | TurnStarted
  | ModelStarted
  | TextCheckpoint
  | ModelState
  | ModelError
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
  | TurnsLeftOut
  | ToolResult
  | LateResult
  | AbandonedEnded
  | TurnEnded
  | CancelAccepted
  | CancelRefused
  | CancelDecided
  | CancelUnmatched
  | CancelSettled
  | Acknowledged
  | Reaction
  | Earcon
  | SpeechQueued
  | SpeechStarted
  | SpeechEnded
  | SpeechCut
  | TranscriptDropped
  | ToolTimeoutSet
  | SessionRenamed
  | SessionRecovered;

export type FactType = Fact['type'];
export type FactOf<T extends FactType> = Extract<Fact, { type: T }>;

/** The types of facts by subject. A fold names each type of a subject, or leaves out the whole subject by its name, so that it does not compile with a new type. */
export interface FactSubjects {
  readonly session:
    | 'session_opened'
    | 'session_configured'
    | 'session_recovered'
    | 'member_invited'
    | 'member_removed'
    | 'invite_created'
    | 'invite_secret'
    | 'invite_revoked'
    | 'stop_delegated'
    | 'tool_timeout_set'
    | 'session_renamed';
  readonly turn: 'turn_opened' | 'turn_started' | 'turn_ended';
  readonly input: 'input_deferred' | 'input_settled';
  readonly model: 'model_started' | 'text_checkpoint' | 'model_state' | 'model_error' | 'model_ended';
  readonly history: 'imported' | 'history_compacted' | 'turns_left_out';
  readonly call: 'tool_call' | 'tool_started' | 'tool_result' | 'late_result' | 'abandoned_ended';
  readonly run: 'process_started' | 'tool_changed' | 'tool_timeout';
  readonly question: 'approval_requested' | 'approval_closed' | 'question_asked' | 'question_closed';
  readonly cancel: 'cancel_accepted' | 'cancel_refused' | 'cancel_settled';
  readonly decision: 'cancel_decided' | 'cancel_unmatched';
  readonly sign: 'acknowledged' | 'reaction' | 'earcon';
  readonly speech: 'speech_queued' | 'speech_started' | 'speech_ended' | 'speech_cut' | 'transcript_dropped';
}
type NamesAll<Missing extends never> = Missing;
/** Does not compile when a type has no subject. */
export type TypesHaveSubjects = NamesAll<Exclude<FactType, FactSubjects[keyof FactSubjects]>>;

/** A fact about one of the subjects. */
export type FactAbout<Subject extends keyof FactSubjects> = FactOf<FactSubjects[Subject]>;

/** A fact with the time of its append, in milliseconds since 1970. */
export type RecordedFact = Fact & { readonly at: number };

/** A fact with its sequence number in the log of its session. */
export interface SequencedFact {
  readonly seq: number;
  readonly fact: RecordedFact;
}
