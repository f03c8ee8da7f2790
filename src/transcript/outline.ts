// What a list of facts says of each turn: its words, its rounds with their calls, its end. Recovery and rendering read it here.
//
// It can be drawn from any prefix of a log, and from a tail: facts of a turn whose beginning is not there are left out.
import type {
  AbandonedEnded,
  CancelAccepted,
  Fact,
  LateResult,
  ModelEnded,
  ToolCall,
  ToolResult,
  ToolTimeout,
  TurnEnded,
  TurnOpened,
  TurnStarted,
} from '../../machines/facts.ts';
import type { Cause, NodeId, SpeakerId } from '../../machines/vocabulary.ts';

export interface CallOutline {
  readonly made: ToolCall;
  readonly turn: TurnOutline;
  started: boolean;
  timeout: ToolTimeout | null;
  result: ToolResult | null;
  late: LateResult | null;
  abandonedEnded: AbandonedEnded | null;
  /** The turn of a sub-agent. */
  child: TurnOutline | null;
}

/** One model call, and the calls that it made. */
export interface Round {
  readonly index: number;
  /** Its text as far as the checkpoints have it. */
  streamed: string;
  ended: ModelEnded | null;
  readonly calls: CallOutline[];
}

export interface TurnOutline {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  opened: TurnOpened | null;
  started: TurnStarted | null;
  /** The call that it belongs to; null for a root turn. */
  readonly parent: CallOutline | null;
  readonly rounds: Round[];
  ended: TurnEnded | null;
}

/** A fact, and where it was recorded already the time of it. */
export type Told = Fact & { readonly at?: number };
export type Acceptance = CancelAccepted & { readonly at?: number };

export interface Outline {
  /** In the order in which they were opened or, below a call, started. */
  readonly turns: ReadonlyMap<NodeId, TurnOutline>;
  readonly calls: ReadonlyMap<NodeId, CallOutline>;
  readonly accepted: readonly Acceptance[];
  /** Receipts that have been settled. */
  readonly settled: ReadonlySet<string>;
}

export const callsOf = ({ rounds }: TurnOutline): CallOutline[] => rounds.flatMap(({ calls }) => calls);

/** The text of a model call: whole, or as far as it is known. */
export const textOf = ({ ended, streamed }: Round): string => ended?.text ?? streamed;

export function outlineOf(facts: readonly Told[]): Outline {
  const turns = new Map<NodeId, TurnOutline>();
  const calls = new Map<NodeId, CallOutline>();
  const accepted: Acceptance[] = [];
  const settled = new Set<string>();

  const turnAt = (id: NodeId, owner: SpeakerId, parent: CallOutline | null): TurnOutline => {
    const known = turns.get(id);
    if (known) return known;
    const turn: TurnOutline = { id, owner, opened: null, started: null, parent, rounds: [], ended: null };
    turns.set(id, turn);
    if (parent) parent.child = turn;
    return turn;
  };
  const roundAt = ({ turn, index }: { readonly turn: NodeId; readonly index: number }): Round | undefined => {
    const rounds = turns.get(turn)?.rounds;
    const known = rounds?.find((round) => round.index === index);
    if (known || !rounds) return known;
    const round: Round = { index, streamed: '', ended: null, calls: [] };
    rounds.push(round);
    return round;
  };

  for (const fact of facts) {
    switch (fact.type) {
      case 'turn_opened':
        turnAt(fact.turn, fact.owner, null).opened ??= fact;
        break;
      case 'turn_started': {
        const parent = fact.parent === null ? null : calls.get(fact.parent);
        if (parent) turnAt(fact.turn, fact.owner, parent);
        const turn = turns.get(fact.turn);
        if (turn) turn.started ??= fact;
        break;
      }
      case 'model_started':
        roundAt(fact);
        break;
      case 'text_checkpoint': {
        const round = roundAt(fact);
        if (round && fact.offset <= round.streamed.length)
          round.streamed = round.streamed.slice(0, fact.offset) + fact.text;
        break;
      }
      case 'model_ended': {
        const round = roundAt(fact);
        if (round) round.ended ??= fact;
        break;
      }
      case 'tool_call': {
        const turn = turns.get(fact.turn);
        if (!turn || calls.has(fact.node)) break;
        const call: CallOutline = {
          made: fact,
          turn,
          started: false,
          timeout: null,
          result: null,
          late: null,
          abandonedEnded: null,
          child: null,
        };
        calls.set(fact.node, call);
        roundAt(fact)?.calls.push(call);
        break;
      }
      case 'tool_started': {
        const call = calls.get(fact.node);
        if (call) call.started = true;
        break;
      }
      case 'tool_timeout': {
        const call = calls.get(fact.node);
        if (call) call.timeout ??= fact;
        break;
      }
      case 'tool_result': {
        const call = calls.get(fact.node);
        if (call) call.result ??= fact;
        break;
      }
      case 'late_result': {
        const call = calls.get(fact.node);
        if (call) call.late ??= fact;
        break;
      }
      case 'abandoned_ended': {
        const call = calls.get(fact.node);
        if (call) call.abandonedEnded ??= fact;
        break;
      }
      case 'turn_ended': {
        const turn = turns.get(fact.turn);
        if (turn) turn.ended ??= fact;
        break;
      }
      case 'cancel_accepted':
        accepted.push(fact);
        break;
      case 'cancel_settled':
        settled.add(fact.cancel);
        break;
      default:
        break;
    }
  }
  return { turns, calls, accepted, settled };
}

export const causeIn = ({ source, by, reason, target }: CancelAccepted): Cause => ({ source, by, reason, target });

/**
 * The cause under which a node is being stopped, as far as it was recorded; null: none was. The first acceptance that lists
 * the node counts; a node that none speaks of has come since, and shares what is above it.
 */
export function causesIn({ turns, calls, accepted }: Outline): (id: NodeId) => Cause | null {
  const stopped = new Map<NodeId, Cause>();
  const refused = new Set<NodeId>();
  for (const acceptance of accepted) {
    for (const id of [...acceptance.stopping, ...acceptance.pending])
      if (!stopped.has(id)) stopped.set(id, causeIn(acceptance));
    for (const { node } of acceptance.refused) refused.add(node);
  }
  const parentOf = (id: NodeId): NodeId | undefined => calls.get(id)?.turn.id ?? turns.get(id)?.parent?.made.node;
  return function causeOf(id): Cause | null {
    const own = stopped.get(id);
    if (own) return own;
    const parent = refused.has(id) ? undefined : parentOf(id);
    return parent === undefined ? null : causeOf(parent);
  };
}
