// The ledger of a runtime: what each speaker has spent today (UTC), over all sessions.
//
// 1. It counts what this host runs, and what the store held of today before this host started.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { NodeId, SpeakerId, Usage } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { Clock } from '../sources/sources.ts';
import { addSpent, nothingSpent, type Spent } from './spending.ts';

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

export class SpeakerLedger {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #day: number;
  #spent = new Map<SpeakerId, Spent>();
  #loaded: Promise<void> | null = null;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#day = startOfDay(this.#startedAt);
  }

  /** Resolves when what the store holds of today from before this host started is counted. Rejects when the store fails; the next call tries again. */
  load(): Promise<void> {
    this.#loaded ??= this.#readToday().catch((error) => {
      this.#loaded = null;
      throw error;
    });
    return this.#loaded;
  }

  add(speaker: SpeakerId, usage: Usage): void {
    this.#startDay();
    this.#spent.set(speaker, addSpent(this.spentBy(speaker), usage));
  }

  spentBy(speaker: SpeakerId): Spent {
    this.#startDay();
    return this.#spent.get(speaker) ?? nothingSpent;
  }

  #startDay(): void {
    const day = startOfDay(this.#clock.now());
    if (day === this.#day) return;
    this.#day = day;
    this.#spent = new Map();
  }

  /** Reads from the newest fact back to the start of the day. Counts when all is read: a read that fails is repeated whole. */
  async #readToday(): Promise<void> {
    let before: number | null = null;
    const day = this.#day;
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

  /** What this host has run itself is counted already. */
  #isEarlierToday({ at }: Used): boolean {
    this.#startDay();
    return at >= this.#day && at < this.#startedAt;
  }
}
