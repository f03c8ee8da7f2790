// The part of a session's transcript that its open turns can still need, in memory while the session is awake.
import type { RecordedFact, SequencedFact } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Projection } from './journal.ts';

/** Facts in the order of the journal. */
export interface FactSource {
  facts(): readonly RecordedFact[];
}

/** Keeps the facts from the first of the last `contextTurns` root turns on, and all of those that are open or are taken up by an open one. */
export class History implements FactSource, Projection {
  readonly #contextTurns: number;
  #facts: RecordedFact[] = [];
  /** Root turns in order. `counts`: it is no acknowledgement. */
  #roots: { readonly turn: NodeId; readonly resumes: NodeId | undefined; readonly counts: boolean; open: boolean }[] =
    [];
  #omittedTurns = 0;

  constructor({ contextTurns }: { readonly contextTurns: number }) {
    this.#contextTurns = contextTurns;
  }

  facts(): readonly RecordedFact[] {
    return this.#facts;
  }

  /** The number of root turns at the beginning of the session that are no longer kept. */
  get omittedTurns(): number {
    return this.#omittedTurns;
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const { fact } of events) this.#addOne(fact);
  }

  onAppended({ fact }: SequencedFact): void {
    this.#addOne(fact);
  }

  #addOne(fact: RecordedFact): void {
    this.#facts.push(fact);
    if (fact.type === 'turn_opened') {
      const { turn, resumes, kind } = fact;
      this.#roots.push({ turn, resumes, counts: kind !== 'acknowledgement', open: true });
    }
    if (fact.type !== 'turn_ended') return;
    const root = this.#roots.find(({ turn, open }) => open && turn === fact.turn);
    if (!root) return;
    root.open = false;
    this.#prune();
  }

  /** The turns that are open, and those that an open one has resumed. */
  #neededTurns(): ReadonlySet<NodeId> {
    const needed = new Set<NodeId>();
    for (const { turn, resumes, open } of this.#roots.toReversed()) {
      if (!open && !needed.has(turn)) continue;
      needed.add(turn);
      if (resumes !== undefined) needed.add(resumes);
    }
    return needed;
  }

  #prune(): void {
    const slack = Math.max(8, Math.ceil(this.#contextTurns / 4)); // pruning costs a walk: it is done once for several turns
    const needed = this.#neededTurns();
    const oldestOpen = this.#roots.findIndex(({ turn }) => needed.has(turn));
    const kept = this.#firstKept();
    const first = oldestOpen < 0 ? kept : Math.min(kept, oldestOpen);
    if (first < slack) return;
    this.#roots.splice(0, first);
    this.#omittedTurns += first;
    const keepFrom = this.#facts.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === this.#roots[0]?.turn);
    if (keepFrom <= 0) return;
    // a summary stands for the turns that are left out, wherever it was written
    const summary = this.#facts.slice(0, keepFrom).findLast(({ type }) => type === 'history_compacted');
    this.#facts = [...(summary ? [summary] : []), ...this.#facts.slice(keepFrom)];
  }

  /** The index of the first of the last `contextTurns` turns that count. */
  #firstKept(): number {
    let left = this.#contextTurns;
    return Math.max(
      0,
      this.#roots.findLastIndex(({ counts }) => counts && --left === 0),
    );
  }
}
