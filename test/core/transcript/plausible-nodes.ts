// The nodes of a simulated session, and the numbers that its choices are read from.
import type { ToolResult } from '../../../machines/facts.ts';
import type { Cause, NodeId, OutcomeKind, SpeakerId } from '../../../machines/vocabulary.ts';

export const speakers = ['ann', 'ben', 'cas'] as const;

export interface Node {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  cut: Cause | null;
  settled: boolean;
  /** Words that wait for the next model call of the turn above. */
  isInput?: boolean;
}

type Settlement = Pick<ToolResult, 'outcome' | 'effect'>;

/** Returns the outcome of a node that a cause stops. */
export const outcomeFor = ({ source }: Cause): OutcomeKind =>
  source === 'deadline' ? 'timed_out' : source === 'superseded' ? 'superseded' : 'cancelled';

export class PlausibleNodes {
  readonly #numbers: readonly number[];
  /** Part of every id: two lives of a session share none. */
  readonly #life: string;
  #read = 0;
  #ids = 0;
  readonly #nodes = new Map<NodeId, Node>();
  readonly #settlements = new Map<NodeId, Settlement>();

  constructor(numbers: readonly number[], life: string) {
    this.#numbers = numbers;
    this.#life = life;
  }

  /** The next number, below `count`. */
  choose(count: number): number {
    return (this.#numbers[this.#read++] ?? 0) % count;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.choose(values.length)] as T; // the index is below the length
  }

  createId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${this.#life}${this.#ids}`;
  }

  enter(id: NodeId, owner: SpeakerId, parent: NodeId | null): Node {
    const node: Node = { id, owner, parent, cut: null, settled: false };
    return this.add(node);
  }

  settle(node: Node, outcome: OutcomeKind, effect: ToolResult['effect']): void {
    node.settled = true;
    this.#settlements.set(node.id, { outcome, effect });
  }

  isBelow(node: Node, top: NodeId): boolean {
    if (node.id === top) return true;
    const parent = node.parent === null ? undefined : this.#nodes.get(node.parent);
    return parent !== undefined && this.isBelow(parent, top);
  }

  add(node: Node): Node {
    this.#nodes.set(node.id, node);
    return node;
  }

  unsettled(): readonly Node[] {
    return [...this.#nodes.values()].filter((node) => !node.settled);
  }

  settlementOf(id: NodeId): Settlement | undefined {
    return this.#settlements.get(id);
  }
}
