// The part of a session's transcript that its open turns can still need, in memory while the session is awake.
import type { RecordedFact, SequencedFact, TurnEnded, TurnOpened } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Projection } from './journal.ts';
import { factsOfRunning, numberFacts } from './root-turns.ts';

/** Facts in the order of the journal. */
export interface FactSource {
  facts(): readonly RecordedFact[];
}

/** A root turn. */
interface Root extends Pick<TurnOpened, 'turn' | 'kind' | 'owner'> {
  /** The turn that it resumes, and the one whose call detached it: its own calls are compared with theirs. */
  readonly continues: readonly NodeId[];
  /** How it ended, and the sequence number of that fact; null: it is open. */
  end: (Pick<TurnEnded, 'outcome'> & { readonly seq: number }) | null;
  readonly seq: number;
}

/**
 * Keeps the facts from the first turn on that a request may need: one that is open or is being stopped, one of the `contextTurns` that ended last, or one that these
 * continue.
 */
export class History implements FactSource, Projection {
  readonly #contextTurns: number;
  #facts: RecordedFact[] = [];
  /** In the order in which they were opened. */
  readonly roots: Root[] = [];
  /** In the order in which they ended. */
  #ended: Root[] = [];
  /** The turns that were open at each stop whose receipt has not settled, by the id of the receipt: an acknowledgement may be about them. */
  readonly #stopped = new Map<string, readonly Root[]>();
  #omittedTurns = 0;
  /** The facts of earlier turns, which are no longer kept, of which a call still runs. */
  earlierFacts: readonly SequencedFact[] = [];

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
    for (const event of events) this.onAppended(event);
  }

  onAppended({ fact, seq }: SequencedFact): void {
    this.#facts.push(fact);
    switch (fact.type) {
      case 'turn_opened': {
        const { turn, kind, owner, resumes, from } = fact;
        const continues = [resumes, from].filter((id) => id !== undefined);
        this.roots.push({ turn, kind, owner, continues, seq, end: null });
        break;
      }
      case 'turn_ended': {
        const root = this.roots.find(({ turn, end }) => end === null && turn === fact.turn);
        if (!root) break;
        root.end = { outcome: fact.outcome, seq };
        this.#ended.push(root);
        this.#prune();
        break;
      }
      case 'cancel_accepted':
        this.#stopped.set(
          fact.cancel,
          this.roots.filter(({ end }) => end === null),
        );
        break;
      case 'cancel_settled': {
        // a turn that was stopped counts as ended when the receipt of its stop has settled
        const stopped = this.#stopped.get(fact.cancel) ?? [];
        this.#stopped.delete(fact.cancel);
        this.#ended = [
          ...this.#ended.filter((root) => !stopped.includes(root)),
          ...this.#ended.filter((root) => stopped.includes(root)),
        ];
        break;
      }
      default:
    }
  }

  #prune(): void {
    const slack = Math.max(8, Math.ceil(this.#contextTurns / 4)); // pruning costs a walk: it is done once for several turns
    let left = this.#contextTurns;
    const firstEnded = this.#ended.findLastIndex(({ kind }) => kind !== 'acknowledgement' && --left === 0);
    const last = this.#ended.slice(Math.max(0, firstEnded));
    const needed = new Set([...last, ...[...this.#stopped.values()].flat()].map(({ turn }) => turn));
    for (const { turn, continues, end } of this.roots.toReversed()) {
      if (end !== null && !needed.has(turn)) continue;
      for (const id of [turn, ...continues]) needed.add(id);
    }
    const first = this.roots.findIndex(({ turn }) => needed.has(turn));
    if (first < slack) return;
    const omitted = new Set(this.roots.splice(0, first));
    this.#ended = this.#ended.filter((root) => !omitted.has(root));
    this.#omittedTurns += first;
    const [kept] = this.roots;
    const keepFrom = this.#facts.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === kept?.turn);
    if (!kept || keepFrom <= 0) return;
    const dropped = numberFacts(this.#facts.slice(0, keepFrom), kept.seq - keepFrom);
    this.earlierFacts = factsOfRunning([...this.earlierFacts, ...dropped]);
    // a summary stands for the turns that are left out, wherever it was written
    const summary = this.#facts.slice(0, keepFrom).findLast(({ type }) => type === 'history_compacted');
    this.#facts = [...(summary ? [summary] : []), ...this.#facts.slice(keepFrom)];
  }
}
