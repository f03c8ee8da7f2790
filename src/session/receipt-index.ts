// What a session remembers of what is over: which ids there were, and the receipts that spoke of them. Bounded.
import type { CancelAccepted, CancelSettled, Fact, TurnOpened } from '../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';

/** Ids and receipts that are remembered; older ones are looked up in the log. */
const defaultCapacity = 500;

class Bounded<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #capacity: number;
  /** Whether anything has been forgotten. */
  overflowed = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    this.#entries.delete(this.#entries.keys().next().value as string);
    this.overflowed = true;
  }
}

export type Register = ReturnType<typeof createRegister>;

const refKey = (by: SpeakerId | null, ref: string) => JSON.stringify([by, ref]);

export function createRegister(capacity = defaultCapacity) {
  /** Each node and turn that there was, with the receipt that settled it. */
  const nodes = new Bounded<CancelSettled | null>(capacity);
  const accepted = new Bounded<CancelAccepted>(capacity);
  const settled = new Bounded<CancelSettled>(capacity);
  const opened = new Bounded<TurnOpened>(capacity);

  return {
    learn(facts: readonly Fact[]): void {
      for (const fact of facts) {
        if (fact.type === 'turn_opened' || fact.type === 'turn_started') {
          if (!nodes.has(fact.turn)) nodes.set(fact.turn, null);
        }
        if (fact.type === 'turn_opened' && fact.ref !== null) opened.set(refKey(fact.owner, fact.ref), fact);
        if (fact.type === 'tool_call') nodes.set(fact.node, null);
        if (fact.type === 'cancel_accepted' && fact.ref !== null) accepted.set(refKey(fact.by, fact.ref), fact);
        if (fact.type === 'cancel_settled') {
          settled.set(fact.cancel, fact);
          for (const { node } of fact.nodes) if (!nodes.get(node)) nodes.set(node, fact);
        }
      }
    },
    /** Whether nothing has been forgotten: what it does not know there never was. */
    isWhole: (): boolean => ![nodes, accepted, settled].some(({ overflowed }) => overflowed),
    known: (id: NodeId): boolean => nodes.has(id),
    /** The receipt that settled a node, if a cancel did. */
    receiptOf: (id: NodeId): CancelSettled | null => nodes.get(id) ?? null,
    /** The acceptance that a speaker's ref has led to. */
    acceptedAs: (by: SpeakerId | null, ref: string): CancelAccepted | undefined => accepted.get(refKey(by, ref)),
    /** The turn that a speaker's ref has opened. */
    openedAs: (by: SpeakerId, ref: string): TurnOpened | undefined => opened.get(refKey(by, ref)),
    settledAs: (cancel: string): CancelSettled | undefined => settled.get(cancel),
  };
}
