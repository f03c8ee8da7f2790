// The limits of what a turn, a session and a speaker in a day may spend. A limit that is reached posts a CANCEL with cause `deadline`.
//
// 1. The sums are checked after each model call, after each call whose tool reports what it used, and when a root turn starts.
// 2. A turn that reaches a limit with its last model call completes. A response that was cut off may be the last one, or have whole calls: the turn
//    is checked when the first of them is recorded.
import type { RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId, Usage } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Projection } from '../transcript/journal.ts';
import type { Limits } from '../workers/session-limits.ts';
import type { Inbox } from './inbox.ts';
import type { SpeakerLedger } from './speaker-ledger.ts';
import { addSpent, nothingSpent, reachedLimit, type SpendingLimit, type Spent } from './spending.ts';

/** What a limit is for. */
type Scope = 'turn' | 'session' | 'speakerDay';

const limitOf = (name: Scope, limits: Limits): SpendingLimit => ({
  tokens: limits[`${name}Tokens`],
  cents: limits[`${name}Cents`],
  names: { tokens: `limits.${name}Tokens`, cents: `limits.${name}Cents` },
});

/** Whether any of the limits is set. */
export const hasUsageLimits = (limits: Limits): boolean =>
  (['turn', 'session', 'speakerDay'] as const).some((name) => {
    const { tokens, cents } = limitOf(name, limits);
    return tokens > 0 || cents > 0;
  });

export interface UsageLimitsParts {
  readonly tree: LiveTree;
  readonly inbox: Inbox;
  readonly limits: Limits;
  readonly ledger: SpeakerLedger;
  warn(message: string, error?: unknown): void;
}

export class UsageLimits implements Projection {
  readonly #parts: UsageLimitsParts;
  readonly #turns = new Map<NodeId, Spent>();
  /** Running turns whose last response may have been the last one of the turn. */
  readonly #perhapsEnding = new Set<NodeId>();
  readonly #reader = new UsageReader();
  #session: Spent = nothingSpent;

  constructor(parts: UsageLimitsParts) {
    this.#parts = parts;
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const { fact } of events) {
      const used = this.#reader.read(fact);
      if (used) this.#session = addSpent(this.#session, used.usage);
    }
  }

  onAppended({ fact }: SequencedFact): void {
    if (fact.type === 'turn_started' && fact.parent === null) this.#startTurn(fact.turn);
    if (fact.type === 'turn_ended') {
      this.#turns.delete(fact.turn);
      this.#perhapsEnding.delete(fact.turn);
    }
    if (fact.type === 'tool_call' && fact.ranBy === undefined && this.#perhapsEnding.delete(fact.turn)) this.#check();
    const used = this.#reader.read(fact);
    if (used) this.#count(used.turn, used.usage, mayBeLastCall(fact) ? used.turn : null);
  }

  #startTurn(turn: NodeId): void {
    const { limits, ledger, warn } = this.#parts;
    this.#check();
    const { tokens, cents } = limitOf('speakerDay', limits);
    if (tokens === 0 && cents === 0) return;
    // what was spent before this host started may be counted only after the turn has begun
    ledger.load().then(
      () => this.#check(),
      (error) => warn(`What was spent today before ${turn} could not be read from the store.`, error),
    );
  }

  /** `ending`: a turn that may end with this. */
  #count(turn: NodeId, usage: Usage, ending: NodeId | null): void {
    const { tree, ledger } = this.#parts;
    const entry = tree.get(turn);
    if (!entry) return;
    if (ending !== null) this.#perhapsEnding.add(ending);
    const root = tree.pathToRoot(entry).at(-1) ?? entry;
    this.#turns.set(root.id, addSpent(this.#turns.get(root.id) ?? nothingSpent, usage));
    this.#session = addSpent(this.#session, usage);
    ledger.add(entry.owner, usage);
    this.#check(ending);
  }

  /** Stops the root turns that have reached a limit. */
  #check(ending: NodeId | null = null): void {
    const { tree, inbox } = this.#parts;
    for (const entry of tree.entries()) {
      if (entry.parent !== null || !entry.runsOn || entry.id === ending) continue;
      const reason = this.#reasonFor(entry);
      if (reason !== null) inbox.expire(entry.id, reason);
    }
  }

  #reasonFor({ id, owner }: NodeEntry): string | null {
    const { limits, ledger } = this.#parts;
    return (
      reachedLimit(this.#turns.get(id) ?? nothingSpent, limitOf('turn', limits), 'the turn') ??
      reachedLimit(this.#session, limitOf('session', limits), 'the session') ??
      reachedLimit(ledger.spentBy(owner), limitOf('speakerDay', limits), `${owner}, today,`)
    );
  }
}

/** Whether the turn of a model call may end with it: its finish does not say that it asks for tools. */
const mayBeLastCall = (fact: RecordedFact): boolean => fact.type === 'model_ended' && fact.finish !== 'tool_calls';

interface UsedIn {
  readonly turn: NodeId;
  readonly usage: Usage;
}

/**
 * Reads from facts, in their order, what models have used: in model calls, in summaries, and in calls whose tool reports it (an outside agent). The result of
 * a sub-agent repeats the sum of its own model calls: it is not counted.
 */
class UsageReader {
  /** Sub-agents without a result. */
  readonly #agents = new Set<NodeId>();

  /** Returns what the fact says was used in addition to the facts before it; null: nothing. */
  read(fact: RecordedFact): UsedIn | null {
    if (fact.type === 'model_ended' || fact.type === 'history_compacted') return fact;
    if (fact.type === 'tool_call' && fact.kind === 'sub-agent') this.#agents.add(fact.node);
    if (fact.type !== 'tool_result' || this.#agents.delete(fact.node) || !fact.usage) return null;
    return { turn: fact.turn, usage: fact.usage };
  }
}
