// The outline of a list of facts: each turn with its text, its rounds, their calls, and how all of them ended. Recovery and rendering read it.
import type {
  AbandonedEnded,
  CancelAccepted,
  Fact,
  InputDeferred,
  InputSettled,
  LateResult,
  ModelEnded,
  ModelState,
  ToolCall,
  ToolResult,
  ToolTimeout,
  TurnEnded,
  TurnOpened,
  TurnStarted,
} from '../../../machines/facts.ts';
import type { Cause, NodeId, SpeakerId } from '../../../machines/vocabulary.ts';

/** A fact of the log, or one that is about to be appended and has no time yet. */
export type OutlineFact = Fact & { readonly at?: number };
export type Acceptance = CancelAccepted & { readonly at?: number };

export interface CallOutline {
  readonly fact: ToolCall;
  readonly turn: TurnOutline;
  started: boolean;
  timeout: ToolTimeout | null;
  result: ToolResult | null;
  lateResult: LateResult | null;
  abandonedEnded: AbandonedEnded | null;
  /** The turn of a sub-agent. */
  child: TurnOutline | null;
}

/** One model call, and the tool calls that it made. */
export interface Round {
  readonly index: number;
  /** Its text as far as the checkpoints have it. */
  streamed: string;
  ended: ModelEnded | null;
  /** How many characters of its text were heard, where its speech was cut off; null: it was not. */
  heard: number | null;
  /** Its provider state; null: none. */
  state: ModelState | null;
  readonly calls: CallOutline[];
}

/** Words that were said to a turn while it ran. */
export interface InputOutline {
  readonly fact: InputDeferred;
  settled: InputSettled | null;
}

export interface TurnOutline {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  opened: TurnOpened | null;
  started: TurnStarted | null;
  /** The call that it belongs to; null for a root turn. */
  readonly parent: CallOutline | null;
  readonly rounds: Round[];
  /** In the order in which they were said. */
  readonly inputs: InputOutline[];
  ended: TurnEnded | null;
}

export interface Outline {
  /** In the order in which they were opened or, below a call, started. */
  readonly turns: ReadonlyMap<NodeId, TurnOutline>;
  readonly calls: ReadonlyMap<NodeId, CallOutline>;
  readonly accepted: readonly Acceptance[];
  /** The ids of receipts that have settled. */
  readonly settled: ReadonlySet<string>;
}

/** Whether the turn is the model's words on a stop. */
export const isAcknowledgement = ({ opened }: TurnOutline): boolean => opened?.kind === 'acknowledgement';

/**
 * Returns a comparison that sorts by the ends of turns, the first one that ended at the front. A turn that ran beside others is as recent as its end, however long
 * ago it was opened.
 */
export function byEnd(facts: readonly OutlineFact[]): (a: OfTurn, b: OfTurn) => number {
  const ends = new Map<NodeId, number>();
  for (const [i, fact] of facts.entries())
    if (fact.type === 'turn_ended' && !ends.has(fact.turn)) ends.set(fact.turn, i);
  const endOf = ({ turn }: OfTurn) => ends.get(turn.id) ?? facts.length;
  return (a, b) => endOf(a) - endOf(b);
}

interface OfTurn {
  readonly turn: Pick<TurnOutline, 'id'>;
}

/** Returns the calls of all rounds of a turn, in their order. */
export const callsOf = ({ rounds }: TurnOutline): CallOutline[] => rounds.flatMap(({ calls }) => calls);

/** Returns the text of a model call: whole, as far as the checkpoints have it, or as far as it was heard. */
export function textOf({ ended, streamed, heard }: Round): string {
  const text = ended?.text ?? streamed;
  if (heard === null) return text;
  // a character of two code units was heard whole, or not at all
  return text.slice(0, heard).replace(/[\uD800-\uDBFF]$/u, '');
}

/** Returns the cause that an acceptance records. */
export const causeIn = ({ source, by, reason, target }: CancelAccepted): Cause => ({ source, by, reason, target });

/**
 * Returns a function from a node's id to the cause under which it is being stopped, as far as that was recorded; null: none was. The first
 * acceptance that lists the node counts. A node that no acceptance lists or refuses came later, and shares the cause of its parent.
 */
export function causesIn({ turns, calls, accepted }: Outline): (id: NodeId) => Cause | null {
  const stopped = new Map<NodeId, Cause>();
  const refused = new Set<NodeId>();
  for (const acceptance of accepted) {
    for (const id of [...acceptance.stopping, ...acceptance.pending])
      if (!stopped.has(id)) stopped.set(id, causeIn(acceptance));
    for (const { node } of acceptance.refused) refused.add(node);
  }
  const parentOf = (id: NodeId): NodeId | undefined => calls.get(id)?.turn.id ?? turns.get(id)?.parent?.fact.node;
  return function causeOf(id): Cause | null {
    const own = stopped.get(id);
    if (own) return own;
    const parent = refused.has(id) ? undefined : parentOf(id);
    return parent === undefined ? null : causeOf(parent);
  };
}
