// The closed sets of words that every floor shares: outcomes, effects, causes, roles, policies, usage.
import type { ContentPart } from './content.ts';

export const outcomeKinds = [
  'completed',
  'cancelled',
  'timed_out',
  'superseded',
  'failed',
  'denied',
  'abandoned',
  'continues',
] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

/** How an approval or a question is answered. `cannot_ask`: a door that has nobody to ask replies so to both. */
export type AnswerKind = 'approved' | 'denied' | 'answered' | 'cannot_ask';

/** What happens in a session. `asks`: a call waits for an answer of the one who asks. `stopped`, `failed`, `done`: how its last turn ended; `new`: it has none. */
export const sessionStatuses = ['asks', 'runs', 'stopped', 'failed', 'done', 'new'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** What a settled call may have done in the world. A call that was entered is never `not_started`. */
export const effects = ['not_started', 'none', 'unknown', 'done'] as const;
export type Effect = (typeof effects)[number];

export const causeSources = [
  'client',
  'phrase',
  'http',
  'disconnect',
  'model',
  'deadline',
  'superseded',
  'shutdown',
  'crash',
] as const;
export type CauseSource = (typeof causeSources)[number];

export const roles = ['member', 'moderator', 'bridge', 'emergency'] as const;
export type Role = (typeof roles)[number];

/**
 * What becomes of a speaker's words while a turn of the same speaker runs: they wait (`queue`), stop that turn and come next (`interrupt`), are read by its
 * next model call (`steer`), are refused (`reject`), or open a turn beside it (`parallel`).
 */
export const whileRunningPolicies = ['queue', 'interrupt', 'steer', 'reject', 'parallel'] as const;
export type WhileRunning = (typeof whileRunningPolicies)[number];

/** The types of the commands whose words a speaker says. */
export const wordsCommands = ['SAY', 'STEER', 'RESUME', 'TRANSCRIPT'] as const;
export type WordsCommand = (typeof wordsCommands)[number];

/** What becomes of words that were deferred to a running turn: a model call of that turn reads them, they open a turn of their own, or they are stopped. */
export const inputFates = ['consumed', 'queued', 'cancelled'] as const;
export type DeferredFate = (typeof inputFates)[number];

/**
 * How a stop is acknowledged to the person who caused it: by words of the model (`on`), by an emoji, or in a voice session by a sound (`reaction`), or
 * not at all.
 */
export const acknowledgeModes = ['on', 'reaction', 'off'] as const;
export type AcknowledgeMode = (typeof acknowledgeModes)[number];

/** Whether words like "continue" resume the turn of their speaker that was stopped. */
export const resumePhraseRules = ['on', 'off'] as const;
export type ResumePhrases = (typeof resumePhraseRules)[number];

/** The rule of a new session for which the configuration says nothing. */
export const defaultResumePhrases: ResumePhrases = 'on';

/** Who gets the words of a provider whose model call failed. `withheld`: they stay on the host. */
export type ModelErrorRule = 'shown' | 'withheld';

/**
 * What becomes of words of models that may quote a speaker who is deleted. `keep`: all stay. `own`: those of the speaker's own turns are removed, with the summaries of these and the
 * acknowledgements to the speaker. `all`: also those of later turns of others in the same session.
 */
export const quoteRules = ['keep', 'own', 'all'] as const;
export type QuoteRule = (typeof quoteRules)[number];

/**
 * What deleted and redacted events may have left in the files of a store. `until_rewritten`: bytes in pages that are in use, until the file is written again.
 * `until_read`: older pages that an open reader still needs, until it ends.
 */
export const remainsKinds = ['nothing', 'until_rewritten', 'until_read'] as const;
export type Remains = (typeof remainsKinds)[number];

/** The roles that a bridge may give to a speaker of the room that it relays. */
export const roomRoles = ['member', 'moderator'] as const satisfies readonly Role[];
export type RoomRole = (typeof roomRoles)[number];

export const sessionKinds = ['text', 'voice'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** Who may stop the work of others in a session: `anyone`, whoever has `addressed` the bot, or nobody (each `owner` stops their own work only). */
export const policies = ['anyone', 'addressed', 'owner'] as const;
export type Policy = (typeof policies)[number];

/** Who may interrupt the bot's speech by speaking: the `speaker` whose turn is being spoken (and a moderator), `anyone` in the room, or nobody (`none`). */
export const bargeInRules = ['speaker', 'anyone', 'none'] as const;
export type BargeInRule = (typeof bargeInRules)[number];

/** `input`: words that wait for the next model call of the turn above them. No actor works for it. */
export const nodeKinds = ['turn', 'tool-call', 'sub-agent', 'input', 'speech'] as const;
export type NodeKind = (typeof nodeKinds)[number];

/** An id of the live tree: Belay's own (`turn_…`, `call_…`, `agent_…`), never a provider's. */
export type NodeId = string;
export type SpeakerId = string;

/** The identity that a connection has proven. */
export interface Speaker {
  readonly id: SpeakerId;
  readonly roles: readonly Role[];
}

/** The way in which a connection leaves a session: the client asked for it, or the connection was lost or closed. */
export type LeaveReason = 'left' | 'lost';

/** The cause of a stop. The first cause of a node is kept. */
export interface Cause {
  readonly source: CauseSource;
  readonly by: SpeakerId | null;
  readonly reason: string | null;
  /** A node id, `mine`, `session`, `tools:` with the id of a turn or `mine`, or `lane:` with the id of a turn. */
  readonly target: string;
  /** The door that it came by. Left out: none has said. */
  readonly door?: string;
}

/**
 * Tokens of model calls. `exact`: the provider said so. `estimated`: from the text received. `unknown`: at least that
 * many; null if nothing at all is known.
 */
export interface Usage {
  readonly kind: 'exact' | 'estimated' | 'unknown';
  readonly input: number | null;
  readonly output: number | null;
  /** Tokens of `input` that the endpoint read from its cache. This and the fields below: left out where it does not say. */
  readonly cachedInput?: number;
  /** Tokens of `input` that the endpoint wrote to its cache. */
  readonly cacheWrite?: number;
  /** Tokens of `output` that were reasoning. */
  readonly reasoning?: number;
  /** What the endpoint or the configured prices say that it cost, in US dollars. */
  readonly cost?: number;
}

export const noUsage: Usage = { kind: 'exact', input: 0, output: 0 };
export const unknownUsage: Usage = {
  kind: 'unknown',
  input: null,
  output: null,
};

/** The fields of a usage that only some endpoints send. */
export const usageDetails = ['cachedInput', 'cacheWrite', 'reasoning', 'cost'] as const;

/**
 * Why a response of a model ended: it was complete (`stop`), it asks for tools (`tool_calls`), it reached its longest length, the provider's filter
 * ended it, the model refused, or it was complete and holds nothing, or nothing but reasoning.
 */
export const finishes = [
  'stop',
  'tool_calls',
  'length',
  'content_filter',
  'refusal',
  'empty',
  'reasoning_only',
] as const;
export type Finish = (typeof finishes)[number];

/** How the work of a node was stopped, as far as it is known. A tool reports it, and each record of the end has it: facts, receipts, the lines of the log. */
export interface StopDetails {
  /** Whether a process was killed, after its grace or without one. */
  readonly forced?: boolean;
}

/** The type of each of these details. One that is missing here does not compile. */
export const stopDetails = { forced: 'boolean' } as const satisfies {
  readonly [D in keyof StopDetails]-?: StopDetails[D] extends boolean | undefined ? 'boolean' : 'number';
};

/** The same, as a program gives them. */
export type GivenStopDetails = { readonly [D in keyof StopDetails]?: StopDetails[D] | undefined };

/** The end of a node. */
export interface Outcome extends StopDetails {
  readonly kind: OutcomeKind;
  readonly effect: Effect;
  /** A name from docs/errors.md, if `kind` is `failed` or `denied`. */
  readonly code?: string;
  readonly message?: string;
  /** The output of a call as the model reads it: within the tool's limit, and only what there was when it was stopped. */
  readonly output?: string;
  /** Present where the output is more than text: all of it, in its order. `output` is then its text form. */
  readonly parts?: readonly ContentPart[];
  /** How many characters the limit has removed from `output`. */
  readonly omitted?: number;
  /** How long the node ran, in milliseconds. */
  readonly ms?: number;
  readonly usage?: Usage;
}
