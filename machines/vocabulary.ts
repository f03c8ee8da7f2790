// The closed sets that every floor shares: outcomes, effects, causes, roles, usage. One name for one thing.

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

/** What a call may have done to the world by the time it settled. "not_started" is never said of a call that was entered. */
export const effects = ['not_started', 'none', 'unknown', 'done'] as const;
export type Effect = (typeof effects)[number];

export const causeSources = [
  'client',
  'phrase',
  'http',
  'disconnect',
  'deadline',
  'superseded',
  'shutdown',
  'crash',
] as const;
export type CauseSource = (typeof causeSources)[number];

export const roles = ['member', 'moderator', 'bridge', 'emergency'] as const;
export type Role = (typeof roles)[number];

export const sessionKinds = ['text', 'voice'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** Who may stop what in a session: `anyone` in it, or each `owner` only what is theirs. */
export const policies = ['anyone', 'owner'] as const;
export type Policy = (typeof policies)[number];

export type NodeKind = 'turn' | 'tool-call' | 'sub-agent';

/** An id of the live tree: Belay's own (`turn_…`, `call_…`, `agent_…`), never a provider's. */
export type NodeId = string;
export type SpeakerId = string;

/** An identity that a connection has proved. */
export interface Speaker {
  readonly id: SpeakerId;
  readonly roles: readonly Role[];
}

/** Why something is being stopped. The first cause of a node wins and is kept. */
export interface Cause {
  readonly source: CauseSource;
  readonly by: SpeakerId | null;
  readonly reason: string | null;
  /** A node id, `mine` or `session`. */
  readonly target: string;
}

/**
 * Tokens of model calls. `exact`: the provider said so. `estimated`: from the text received. `unknown`: at least that
 * many; null where nothing at all is known.
 */
export interface Usage {
  readonly kind: 'exact' | 'estimated' | 'unknown';
  readonly input: number | null;
  readonly output: number | null;
}

export const noUsage: Usage = { kind: 'exact', input: 0, output: 0 };
export const unknownUsage: Usage = {
  kind: 'unknown',
  input: null,
  output: null,
};

const isNone = ({ kind, input, output }: Usage): boolean => kind === 'exact' && input === 0 && output === 0;

const usageKinds = ['exact', 'estimated', 'unknown'] as const;

/** The sum is only as good as its worst part. */
export function addUsage(a: Usage, b: Usage): Usage {
  if (isNone(a)) return b; // of what was not used nothing is to be known
  if (isNone(b)) return a;
  const worst = Math.max(usageKinds.indexOf(a.kind), usageKinds.indexOf(b.kind));
  const sum = (x: number | null, y: number | null) => (x === null ? y : y === null ? x : x + y);
  return {
    kind: usageKinds[worst] ?? 'unknown',
    input: sum(a.input, b.input),
    output: sum(a.output, b.output),
  };
}

const graveness: readonly Effect[] = ['not_started', 'none', 'done', 'unknown'];

/** What two pieces of work together may have done. */
export function addEffect(a: Effect, b: Effect): Effect {
  return graveness.indexOf(a) >= graveness.indexOf(b) ? a : b;
}

/** How a node ended. */
export interface Outcome {
  readonly kind: OutcomeKind;
  readonly effect: Effect;
  /** A name from docs/errors.md, where `kind` is `failed` or `denied`. */
  readonly code?: string;
  readonly message?: string;
  /** What the model is shown of a call: its whole output within the tool's bound, or what there was of it. */
  readonly output?: string;
  /** Characters that the bound has removed from `output`. */
  readonly omitted?: number;
  /** True where the grace was skipped or had run out (KILL). */
  readonly forced?: boolean;
  /** How long the node worked, in milliseconds. */
  readonly ms?: number;
  readonly usage?: Usage;
}
