// The words for the codes of ends and receipts as people read them: outcomes, effects, refusals, causes, fates, finishes; of causes as a model reads them, too. Terminals, page and log add form alone: marks, colors, capital letters.
//
// 1. Each table is total over its codes: a new code does not compile before it has its words.
// 2. A frame or a log of a later version may have a code that is not here: its own letters stand for it.
import type { StandingCode } from '../../../machines/codes.ts';
import type {
  CauseSource,
  DeferredFate,
  Effect,
  Finish,
  GivenStopDetails,
  OutcomeKind,
  SpeakerId,
  StopDetails,
} from '../../../machines/vocabulary.ts';
import { capitalize } from './capitalize.ts';
import { durationText } from './durations.ts';
import { lettersOf, lookUp } from './look-up.ts';

// -- outcomes

interface OutcomeWords {
  readonly text: string;
  /** A word or two, where there is no room for more. */
  readonly label: string;
  /** `ended`: by itself. `stopped`: before it was complete. `late`: it was to stop, and has not stopped in time. `runs_on`: it was not to stop. */
  readonly end: 'ended' | 'stopped' | 'late' | 'runs_on';
}

const outcomes: Readonly<Record<OutcomeKind, OutcomeWords>> = {
  completed: { text: 'completed', label: 'completed', end: 'ended' },
  cancelled: { text: 'cancelled', label: 'stopped', end: 'stopped' },
  timed_out: { text: 'timed out', label: 'timed out', end: 'stopped' },
  superseded: { text: 'superseded by a newer one', label: 'superseded', end: 'stopped' },
  failed: { text: 'failed', label: 'failed', end: 'ended' },
  denied: { text: 'denied', label: 'denied', end: 'ended' },
  abandoned: { text: 'did not stop in time', label: 'not in time', end: 'late' },
  continues: { text: 'runs on', label: 'runs on', end: 'runs_on' },
};

const reported = '; its end will be reported';

/** Returns an outcome as a verb: `timed out`. */
export const outcomeText = (outcome: OutcomeKind): string => lookUp(outcomes, outcome)?.text ?? lettersOf(outcome);

/** Returns an outcome in a word or two. */
export const outcomeLabel = (outcome: OutcomeKind): string => lookUp(outcomes, outcome)?.label ?? lettersOf(outcome);

const endOf = (outcome: OutcomeKind | null): OutcomeWords['end'] | undefined =>
  outcome === null ? undefined : lookUp(outcomes, outcome)?.end;

/** Whether the work was stopped before it was complete, and has ended. */
export const hasStopped = (outcome: OutcomeKind | null): boolean => endOf(outcome) === 'stopped';

/** Whether the work was to be stopped before it was complete: it has ended, or will. */
export const wasStopped = (outcome: OutcomeKind | null): boolean => hasStopped(outcome) || endOf(outcome) === 'late';

/** Whether the work could still run when it had its outcome. */
export const ranOn = (outcome: OutcomeKind | null): boolean =>
  endOf(outcome) === 'late' || endOf(outcome) === 'runs_on';

// -- effects

interface EffectWords {
  /** What it adds to an outcome; null: nothing. */
  readonly text: string | null;
  /** A word or two. */
  readonly label: string;
}

const effects: Readonly<Record<Effect, EffectWords>> = {
  not_started: { text: 'it had not started', label: 'not started' },
  none: { text: null, label: 'none' },
  unknown: { text: 'it may have had effects', label: 'unknown' },
  done: { text: null, label: 'done' },
};

/** Says what work may have done; null: nothing is to be said about it. */
export const effectText = (effect: Effect | null): string | null =>
  effect === null ? null : (lookUp(effects, effect)?.text ?? null);

/** Returns an effect in a word or two. */
export const effectLabel = (effect: Effect): string => lookUp(effects, effect)?.label ?? lettersOf(effect);

const consequenceOf = (effect: Effect | null): string => {
  const text = effectText(effect);
  return text === null ? '' : `; ${text}`;
};

// -- the end of work

/** What each detail of a stop adds to the verb. */
const stopTexts: { readonly [D in keyof StopDetails]-?: (details: GivenStopDetails) => string } = {
  forced: ({ forced }) => (forced ? ' by force' : ''),
};

const stopText = (details: GivenStopDetails): string =>
  Object.values(stopTexts)
    .map((textOf) => textOf(details))
    .join('');

/** The end of a call, a turn or a sub-agent. What is left out is not said. */
export interface EndedWork extends GivenStopDetails {
  readonly outcome: OutcomeKind;
  readonly effect?: Effect | null | undefined;
  /** How long it has run, in milliseconds. */
  readonly ms?: number | undefined;
  /** Why it has ended: `exit code 2 (command_failed)`. */
  readonly why?: string | undefined;
}

/** Says how work has ended: `cancelled by force after 1.2 s; it may have had effects`. */
export function endingText({ outcome, effect = null, ms, why, ...stop }: EndedWork): string {
  const end = endOf(outcome);
  const duration = ms === undefined || ranOn(outcome) ? '' : ` after ${durationText(ms)}`;
  const hasNotRun = outcome === 'failed' && effect === 'not_started';
  const rest = end === 'late' ? reported : end === 'stopped' || hasNotRun ? consequenceOf(effect) : '';
  return `${outcomeText(outcome)}${stopText(stop)}${duration}${why ?? ''}${rest}`;
}

/** The end of a node, as a receipt has it. */
export interface SettledWork extends GivenStopDetails {
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string | undefined;
  /** From the acceptance until its end, in milliseconds. */
  readonly ms: number;
}

/**
 * Says how a node of a receipt has ended: `stopped by force in 48 ms (ran 3.1 s); it may have had effects`.
 *
 * @param ranMs since its start, in milliseconds; null: not known
 * @param isMarked whether a mark beside it says that it has stopped: `by force, 48 ms (ran 3.1 s)`
 */
export function settledText(node: SettledWork, ranMs: number | null, isMarked = false): string {
  const { outcome, effect, code, ms, ...stop } = node;
  if (endOf(outcome) === 'late') return `has not stopped within ${durationText(ms)}${reported}`;
  if (outcome === 'completed') return 'had completed';
  if (!hasStopped(outcome)) return endingText({ ...stop, outcome, why: code === undefined ? '' : ` (${code})` });
  const why = outcome === 'cancelled' ? '' : `${outcomeText(outcome)}, `;
  if (effect === 'not_started') return `${why}stopped before it started`;
  const rest = `${ranText(ranMs)}${consequenceOf(effect)}`;
  const how = stopText(stop);
  if (isMarked) return `${why}${how === '' ? '' : `${how.trimStart()}, `}${durationText(ms)}${rest}`;
  return `${why}stopped${how} in ${durationText(ms)}${rest}`;
}

/** Says how long work has run, after its end; empty if that is not known. */
export const ranText = (ms: number | null): string => (ms === null ? '' : ` (ran ${durationText(ms)})`);

/** Says of a whole receipt what became of it: `2 of 3 stopped in 48 ms (ran 3.1 s); 1 did not stop in time`. `ranMs`: as of `settledText`. */
export function receiptText(nodes: readonly SettledWork[], ranMs: number | null = null): string {
  const stopped = nodes.filter(({ outcome }) => hasStopped(outcome));
  const late = lateText(nodes);
  if (stopped.length === 0) return late ?? endedBefore;
  const all = nodes.length === 1 ? '' : `all ${nodes.length} `;
  const count = stopped.length === nodes.length ? all : `${stopped.length} of ${nodes.length} `;
  if (stopped.every(({ effect }) => effect === 'not_started'))
    return `${count}stopped before ${stopped.length === 1 ? 'it' : 'they'} started${late === null ? '' : `; ${late}`}`;
  const ms = Math.max(...stopped.map((node) => node.ms));
  return `${count}stopped in ${durationText(ms)}${ranText(ranMs)}${late === null ? '' : `; ${late}`}`;
}

/** What a receipt says that has nothing to stop any more. */
export const endedBefore = 'it had ended before the stop';

/** Says how many nodes of a receipt were abandoned; null: none. */
export function lateText(nodes: readonly Pick<SettledWork, 'outcome'>[]): string | null {
  const late = nodes.filter(({ outcome }) => endOf(outcome) === 'late').length;
  return late === 0 ? null : `${late} ${outcomeText('abandoned')}`;
}

// -- what runs on

const standingTexts: Readonly<Record<StandingCode, (owner: string) => string>> = {
  not_owner: (owner) => `it belongs to ${owner}`,
  words_not_addressed: () => 'the words were not clearly directed at the bot',
  not_allowed: () => 'the rule of this session does not allow it',
};

/** Says why a speaker may not stop something. `reason`: a code of a fact. `owner`: of what was not stopped; null: not known. */
export const refusalText = (reason: string, owner: string | null): string =>
  lookUp(standingTexts, reason)?.(owner ?? 'another speaker') ?? lettersOf(reason);

/** Says why a stop has not stopped everything, each reason once; null: it has. */
export function refusalsText(refused: readonly { readonly reason: string }[]): string | null {
  const reasons = new Set(refused.map(({ reason }) => refusalText(reason, null)));
  return reasons.size === 0 ? null : `Not everything has stopped: ${[...reasons].join('; ')}.`;
}

const otherReasons = {
  detached: 'it is detached',
  newer: 'it is newer than the CANCEL',
} as const;

/** Says why a CANCEL does not stop a node, for a reason other than standing. */
export const notStoppedText = (why: keyof typeof otherReasons): string => otherReasons[why];

/** Says that a node runs on, and why. */
export const runsOnText = (why: keyof typeof otherReasons): string => `runs on: ${otherReasons[why]}`;

/** Says why a node runs on over which the speaker of a CANCEL has no standing. */
export const refusedText = (reason: string, owner: string | null): string => `runs on: ${refusalText(reason, owner)}`;

/** What is said of a node that is shielded from its stop. */
export const pendingText = 'stops as soon as its shield ends';

// -- causes

interface CauseWords {
  /** The way on which a CANCEL came, as a noun. */
  readonly way: string;
  /** Who or what has stopped something. */
  actor(by: SpeakerId | null): string;
  /** The clause for a model. `by`: who has caused it, or `the runtime`. */
  clause(by: string): string;
}

const stoppedBy = (by: string): string => `was stopped by ${by}`;

const causes: Readonly<Record<CauseSource, CauseWords>> = {
  client: { way: 'client', actor: (by) => by ?? 'a client', clause: stoppedBy },
  phrase: {
    way: 'stop phrase',
    actor: (by) => (by === null ? 'a stop phrase' : `${by} (by words)`),
    clause: stoppedBy,
  },
  http: { way: 'HTTP', actor: (by) => (by === null ? 'a request over HTTP' : `${by} (over HTTP)`), clause: stoppedBy },
  disconnect: {
    way: 'lost connection',
    actor: (by) => (by === null ? 'a lost connection' : `the lost connection of ${by}`),
    clause: (by) => `was stopped because ${by} had gone`,
  },
  model: {
    way: 'model',
    actor: (by) => (by === null ? 'the model' : `the model (for ${by})`),
    clause: (by) => `was stopped by the model, for ${by}`,
  },
  deadline: {
    way: 'time limit',
    actor: () => 'a time limit',
    clause: () => 'was stopped because its time was over',
  },
  superseded: {
    way: 'something newer',
    actor: (by) => (by === null ? 'something newer' : `something newer of ${by}`),
    clause: () => 'was stopped because a newer one has taken its place',
  },
  shutdown: {
    way: 'shutdown',
    actor: () => 'the shutdown',
    clause: () => 'was stopped because the runtime shut down',
  },
  crash: { way: 'crash', actor: () => 'a crash', clause: () => 'was stopped by a crash' },
};

/** Names who or what has stopped something: `bob (over HTTP)`, `a time limit`. `by`: the speaker; null: none, or not known. */
export const causeText = (source: CauseSource, by: SpeakerId | null): string =>
  lookUp(causes, source)?.actor(by) ?? by ?? lettersOf(source);

/** As `causeText`, at the beginning of a sentence. The name of a speaker stays as it is. */
export function causeSubject(source: CauseSource, by: SpeakerId | null): string {
  const text = causeText(source, by);
  return by !== null && text.startsWith(by) ? text : capitalize(text);
}

/** Says to a model why work was stopped: `was stopped by bob`. `by`: who has caused it, or `the runtime`. */
export const causeClause = (source: CauseSource, by: string): string =>
  lookUp(causes, source)?.clause(by) ?? 'was stopped';

/** Names the way on which a CANCEL came: `stop phrase`. */
export const wayText = (source: CauseSource): string => lookUp(causes, source)?.way ?? lettersOf(source);

// -- words that wait, and responses

const fates: Readonly<Record<DeferredFate, string>> = {
  consumed: 'the model reads it now',
  queued: 'it has a turn of its own',
  cancelled: 'stopped before the model could read it',
};

/** Says what became of words that were said to a turn while it ran. */
export const fateText = (fate: DeferredFate): string => lookUp(fates, fate) ?? lettersOf(fate);

/** What is said of the end of a response; null: nothing. */
const finishes: Readonly<Record<Finish, string | null>> = {
  stop: null,
  tool_calls: null,
  length: 'the answer ends here: it has reached its longest length (length)',
  content_filter: "the provider's filter has ended the answer (content_filter)",
  refusal: 'the model has refused (refusal)',
  empty: 'the model has answered with nothing (empty)',
  reasoning_only: 'the model has reasoned, and answered with nothing (reasoning_only)',
};

/** Says why a completed answer has ended; null: nothing is to be said about it. */
export const finishText = (finish: Finish | undefined): string | null =>
  finish === undefined ? null : (lookUp(finishes, finish) ?? null);
