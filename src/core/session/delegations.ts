// Keeps which speakers an owner has named to stop what is theirs (DELEGATE), folded from the facts of the session; and reads a live node as a decision about a
// speaker needs it.
import type { SequencedFact, StopDelegated } from '../../../machines/facts.ts';
import type { StandingNode } from '../../../machines/standing.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';
import { type FactHandlers, type Projection, passFact } from '../transcript/journal.ts';

/** Delegations of a session that hold at a time. */
export const maxDelegations = 1_000;

/** Names one delegation: a later one of the same name replaces it. */
const nameOf = ({ by, to, target }: Pick<StopDelegated, 'by' | 'to' | 'target'>): string =>
  JSON.stringify([by, to, target]);

export class Delegations implements Projection {
  static readonly #handlers: FactHandlers<Delegations> = {
    stop_delegated(fact) {
      this.#learn(fact);
    },
  };
  readonly appended = Delegations.#handlers;
  readonly #clock: Clock;
  /** By name. Null until there is one. */
  #held: Map<string, StopDelegated> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of delegations that hold now. */
  get size(): number {
    return this.all.length;
  }

  /** The delegations that hold now. */
  get all(): readonly StopDelegated[] {
    this.#dropExpired();
    return [...(this.#held?.values() ?? [])];
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const event of events) passFact(this, this.appended, event);
  }

  #learn(fact: StopDelegated): void {
    this.#held ??= new Map();
    if (this.#holds(fact)) this.#held.set(nameOf(fact), fact);
    else this.#held.delete(nameOf(fact));
  }

  /** Whether this adds nothing: the same holds already, or it would end what does not hold. */
  isKnown(fact: StopDelegated): boolean {
    const before = this.#held?.get(nameOf(fact));
    if (before === undefined || !this.#holds(before)) return !this.#holds(fact);
    return before.until === fact.until;
  }

  /** Whether `owner` has named `speaker` to stop a node. `path`: the node and those above it. */
  covers(owner: SpeakerId, speaker: SpeakerId, path: readonly Pick<StandingNode, 'id'>[]): boolean {
    if (this.#held === null) return false;
    return ['mine', ...path.map(({ id }) => id)].some((target) => {
      const found = this.#held?.get(nameOf({ by: owner, to: speaker, target }));
      return found !== undefined && this.#holds(found);
    });
  }

  #holds({ until }: StopDelegated): boolean {
    return until === null || until > this.#clock.now();
  }

  #dropExpired(): void {
    for (const [name, fact] of this.#held ?? []) if (!this.#holds(fact)) this.#held?.delete(name);
  }
}

export interface StandingParts {
  readonly tree: LiveTree;
  readonly delegations: Delegations;
}

/** Returns the node. `by`: the speaker; null: the runtime itself decides. */
export function standingNodeOf(
  entry: NodeEntry,
  by: SpeakerId | null,
  { tree, delegations }: StandingParts,
): StandingNode {
  const { id, kind, owner, cut, question } = entry;
  const turn = kind === 'speech' ? entry.ancestors : []; // what a delegation of a turn covers
  return {
    id,
    kind,
    owner,
    requester: tree.requesterOf(entry),
    isDelegated: by !== null && delegations.covers(owner, by, [...tree.pathToRoot(entry), ...turn]),
    addressee: cut ? null : (question?.asked.to ?? null),
  };
}
