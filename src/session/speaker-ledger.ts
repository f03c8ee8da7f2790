// The ledger of a runtime: what each speaker has spent today (UTC), over all sessions.
//
// 1. It counts what this host runs, and what the store held of today when the host first asked for it.
import type { RecordedFact } from '../../machines/facts.ts';
import type { SpeakerId, Usage } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import type { Log } from '../transcript/log.ts';
import { addSpent, nothingSpent, type Spent } from './spent.ts';

const dayMs = 86_400_000;
const pageSize = 2_000;

const startOfDay = (at: number): number => at - (at % dayMs);

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

  /** Resolves when what the store holds of today is counted. Rejects when the store fails; the next call tries again. */
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

  /** From the newest fact back to the start of the day. What this host has run itself is counted already. */
  async #readToday(): Promise<void> {
    let before: number | null = null;
    const day = this.#day;
    while (this.#log.readNewest) {
      const { bodies, next } = await this.#log.readNewest(before, pageSize);
      const facts = bodies as readonly RecordedFact[]; // only journals write into the log
      if (day === this.#day) for (const fact of facts) this.#addEarlier(fact);
      if (next === null || facts.some(({ at }) => at < day)) return;
      before = next;
    }
  }

  #addEarlier(fact: RecordedFact): void {
    if (fact.type !== 'model_ended' && fact.type !== 'history_compacted') return;
    if (fact.owner !== undefined && fact.at >= this.#day && fact.at < this.#startedAt) this.add(fact.owner, fact.usage);
  }
}
