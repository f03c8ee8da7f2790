// The ledger of a runtime: what each speaker has spent today (UTC), over all sessions.
//
// 1. It counts what this host runs, and what the store held of today before this host started.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { NodeId, SpeakerId, Usage } from '../../../machines/vocabulary.ts';
import { loadOnce } from '../collections/load-once.ts';
import type { Log } from '../contracts/log.ts';
import type { Clock } from '../sources/sources.ts';
import { addSpent, nothingSpent, type Spent, sumSpent } from './spending.ts';

const dayMs = 86_400_000;
const pageSize = 2_000;

const startOfDay = (at: number): number => at - (at % dayMs);

/** What a fact of today says that a speaker has used. */
interface Used {
  readonly at: number;
  readonly owner: SpeakerId;
  readonly usage: Usage;
}

/** Reads facts from the newest back to older ones. */
class BackwardUsageReader {
  /** Results with a usage whose calls are older, and not read yet. */
  readonly #results = new Map<NodeId, { readonly at: number; readonly usage: Usage }>();

  /** Returns what was used, as soon as its owner is known; null: nothing. The result of a sub-agent repeats what its model calls have used. */
  read(fact: RecordedFact): Used | null {
    if (fact.type === 'model_ended' || fact.type === 'history_compacted')
      return fact.owner === undefined ? null : { at: fact.at, owner: fact.owner, usage: fact.usage };
    if (fact.type === 'tool_result' && fact.usage) this.#results.set(fact.node, { at: fact.at, usage: fact.usage });
    if (fact.type !== 'tool_call' || fact.kind === 'sub-agent') return null;
    const result = this.#results.get(fact.node);
    return result ? { ...result, owner: fact.owner } : null;
  }
}

/** Days that are kept: a clock that was set forward by mistake, and back, finds what was spent before. */
const keptDays = 3;

export class SpeakerLedger {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** The latest time of day that this host has had: what it has run itself is not later. */
  #latest: number;
  /** What was spent on each day, by its start. */
  readonly #days = new Map<number, Map<SpeakerId, Spent>>();
  /** Resolves when what the store holds of today from before this host started is counted. Rejects when the store fails; the next call tries again. */
  readonly load = loadOnce(() => this.#readToday());

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#latest = this.#startedAt;
  }

  add(speaker: SpeakerId, usage: Usage): void {
    const day = startOfDay(this.#readTime());
    const spent = this.#days.get(day) ?? new Map<SpeakerId, Spent>();
    spent.set(speaker, addSpent(spent.get(speaker) ?? nothingSpent, usage));
    this.#days.set(day, spent);
    if (this.#days.size > keptDays) this.#days.delete(Math.min(...this.#days.keys()));
  }

  /** What a later day than today has counts as today's: the time of day was set back. */
  spentBy(speaker: SpeakerId): Spent {
    const today = startOfDay(this.#readTime());
    const days = [...this.#days].flatMap(([day, spent]) => (day < today ? [] : (spent.get(speaker) ?? [])));
    return days.reduce(sumSpent, nothingSpent);
  }

  #readTime(): number {
    const now = this.#clock.now();
    this.#latest = Math.max(this.#latest, now);
    return now;
  }

  /** Reads from the newest fact back to the start of the day. Counts when all is read: a read that fails is repeated whole. */
  async #readToday(): Promise<void> {
    let before: number | null = null;
    const day = startOfDay(this.#readTime());
    const earlier: Used[] = [];
    const reader = new BackwardUsageReader();
    while (this.#log.readNewest) {
      const { bodies, next } = await this.#log.readNewest(before, pageSize);
      const facts = bodies as readonly RecordedFact[]; // only journals write into the log
      earlier.push(...facts.flatMap((fact) => reader.read(fact) ?? []).filter((used) => this.#isEarlierToday(used)));
      if (next === null || facts.some(({ at }) => at < day)) break;
      before = next;
    }
    for (const used of earlier) if (this.#isEarlierToday(used)) this.add(used.owner, used.usage);
  }

  /** Whether it was recorded today before this host started. A stored time later than now counts as now; what this host has run itself is counted already. */
  #isEarlierToday({ at }: Used): boolean {
    const now = this.#readTime();
    if (at > now) return at > this.#latest;
    return at >= startOfDay(now) && at < this.#startedAt;
  }
}
