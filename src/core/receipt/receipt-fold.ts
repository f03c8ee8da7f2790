// Folds the facts of a session into the receipts of its cancels, and writes their second half: for a session that lives, for one that is recovered, and for reports.
//
// 1. Nothing but facts is in a receipt, so that a log gives the same one whenever it is folded; but for the times of a stop, which only who has seen it knows.
// 2. The first end of a node counts, also if it was recorded before the acceptance that lists the node.
import type { CancelSettled, Fact, FactType, SettledNode } from '../../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import {
  causeIn,
  type DatedFact,
  type FoldedReceipt,
  listedNodes,
  type RecordedEnd,
  readEnd,
  settleReceipt,
} from './receipt.ts';
import { unnamedEnd } from './unnamed-end.ts';

/** The types of facts that change the fold. */
export const foldedTypes: ReadonlySet<FactType> = new Set([
  'tool_call',
  'turn_ended',
  'tool_result',
  'late_result',
  'input_settled',
  'speech_ended',
  'cancel_accepted',
  'cancel_settled',
]);

/** The end of a node, with its kind. */
type KnownEnd = RecordedEnd & Pick<SettledNode, 'kind'>;

/** Returns the times of a node of a receipt: see `SettledNode.times`. */
type TimesOf = (acceptedAt: number, node: NodeId, endedAt: number) => SettledNode['times'];

const unseen: TimesOf = () => undefined;

interface OptionalTime {
  readonly at?: number;
}

export class ReceiptFold<Time extends OptionalTime = OptionalTime> {
  /** The calls that have not ended: a result does not say what kind of call it is of. */
  readonly #calls = new Map<NodeId, NodeKind>();
  readonly #ends = new Map<NodeId, KnownEnd>();
  readonly #receipts = new Map<string, FoldedReceipt<Time>>();

  /** In the order of their acceptances. */
  get receipts(): Iterable<FoldedReceipt<Time>> {
    return this.#receipts.values();
  }

  /** The number of calls, ends and receipts that it holds. */
  get size(): number {
    return this.#calls.size + this.#ends.size + this.#receipts.size;
  }

  /** Adds a fact. Facts come in the order of their log. Returns the node whose first end it is; null if it is none. */
  add(fact: Fact & Time): NodeId | null {
    switch (fact.type) {
      case 'tool_call':
        this.#calls.set(fact.node, fact.kind);
        return null;
      case 'cancel_accepted':
        if (!this.#receipts.has(fact.cancel)) this.#receipts.set(fact.cancel, { accepted: fact, settled: null });
        return null;
      case 'cancel_settled': {
        const receipt = this.#receipts.get(fact.cancel);
        if (receipt) this.#receipts.set(fact.cancel, settleReceipt(receipt, fact));
        return null;
      }
      default:
        return this.#addEnd(fact);
    }
  }

  /** The receipt with this id; undefined: its acceptance was not added, or it was forgotten. */
  get(cancel: string): FoldedReceipt<Time> | undefined {
    return this.#receipts.get(cancel);
  }

  /** How a node ended; undefined: it has not, or its end was forgotten. */
  endOf(node: NodeId): RecordedEnd | undefined {
    return this.#ends.get(node);
  }

  /**
   * Returns the second half of a receipt, from the ends that are recorded. `now` dates the ends of facts that have no time yet: in milliseconds
   * from where the times of the facts count. `timesOf`: how the stop has reached a node, as far as it was seen.
   */
  settle({ accepted }: FoldedReceipt<Time>, now: number, timesOf: TimesOf = unseen): CancelSettled {
    const { cancel, ref, at: since = now } = accepted;
    const nodes = listedNodes(accepted).map((node): SettledNode => {
      const { at, ...end } = this.#ends.get(node) ?? unnamedEnd(node, accepted, this.receipts);
      const endedAt = at ?? now;
      const times = timesOf(since, node, endedAt);
      return { ...end, ms: Math.max(0, endedAt - since), ...dropUndefined({ times }) };
    });
    return { type: 'cancel_settled', cancel, ref, cause: causeIn(accepted), nodes };
  }

  /** Forgets a receipt. */
  forgetReceipt(cancel: string): void {
    this.#receipts.delete(cancel);
  }

  /** Forgets the end of a node, which no acceptance can list any more. */
  forgetEnd(node: NodeId): void {
    this.#ends.delete(node);
  }

  #addEnd(fact: DatedFact): NodeId | null {
    const recorded = readEnd(fact);
    if (!recorded || this.#ends.has(recorded.node)) return null;
    const { node, ...end } = recorded;
    const kind = kindsOfEnds[fact.type] ?? this.#calls.get(node) ?? 'tool-call';
    this.#ends.set(node, { node, kind, ...end });
    this.#calls.delete(node);
    return node;
  }
}

/** The kinds of nodes whose ends have types of facts of their own. The others are ends of calls. */
const kindsOfEnds: { readonly [T in FactType]?: NodeKind } = {
  turn_ended: 'turn',
  input_settled: 'input',
  speech_ended: 'speech',
};

/** Returns the fold of all these facts. */
export function foldReceipts<Time extends OptionalTime>(facts: Iterable<Fact & Time>): ReceiptFold<Time> {
  const fold = new ReceiptFold<Time>();
  for (const fact of facts) fold.add(fact);
  return fold;
}
