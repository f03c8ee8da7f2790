// The root turns that facts are about, found while the facts are walked in their order.
import type { RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';

/** Finds the root turn of each fact. It has to be given the facts in their order, from the opening of the turn on. */
export class RootTurns {
  readonly #roots = new Map<NodeId, NodeId>();

  /** Returns the root turn that the fact is about; null: it is about none, or its opening is missing. */
  rootOf(fact: RecordedFact): NodeId | null {
    // each fact has some of the three
    const { turn, node, input } = fact as { readonly turn?: NodeId; readonly node?: NodeId; readonly input?: NodeId };
    if (fact.type === 'turn_opened') this.#roots.set(fact.turn, fact.turn);
    if (fact.type === 'turn_started' && fact.parent !== null) this.#add(fact.turn, fact.parent);
    if (fact.type === 'tool_call') this.#add(fact.node, fact.turn);
    if (fact.type === 'input_deferred') this.#add(fact.input, fact.turn);
    return this.#roots.get(turn ?? node ?? input ?? '') ?? null;
  }

  /** Returns the root turn that a node belongs to; null: it is not known. */
  rootOfNode(node: NodeId): NodeId | null {
    return this.#roots.get(node) ?? null;
  }

  #add(node: NodeId, below: NodeId): void {
    const root = this.#roots.get(below);
    if (root !== undefined) this.#roots.set(node, root);
  }
}

/** Returns the facts, the first of which has this sequence number, with their own. */
export const numberFacts = (facts: readonly RecordedFact[], first: number): readonly SequencedFact[] =>
  facts.map((fact, i) => ({ seq: first + i, fact }));

/** Returns the facts of the root turns of which a call runs on although it has its result, or was abandoned. */
export function factsOfRunning(facts: readonly SequencedFact[]): readonly SequencedFact[] {
  const turns = new RootTurns();
  const running = new Set<NodeId>();
  const rooted = facts.map((event) => ({ event, root: turns.rootOf(event.fact) }));
  for (const { fact } of facts) {
    if (fact.type !== 'tool_result' && fact.type !== 'late_result' && fact.type !== 'abandoned_ended') continue;
    const runsOn = fact.type !== 'abandoned_ended' && (fact.outcome === 'continues' || fact.outcome === 'abandoned');
    if (runsOn) running.add(fact.node);
    else running.delete(fact.node);
  }
  const roots = new Set([...running].map((node) => turns.rootOfNode(node)));
  roots.delete(null);
  // a summary may stand where it was not written
  const isKept = ({ type }: RecordedFact, root: NodeId | null) => roots.has(root) && type !== 'history_compacted';
  return rooted.filter(({ event, root }) => isKept(event.fact, root)).map(({ event }) => event);
}
