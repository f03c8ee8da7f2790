// Follows the nodes and the model calls that are open, from the facts of all sessions, for metrics and spans.
//
// 1. A node starts with its first fact, and ends with the `ended` of the observers: once, also where its session ends without a fact.
// 2. What an earlier process has started is not known here: its end has no start.
import type { FactOf, RecordedFact, TurnOpened } from '../../../machines/facts.ts';
import type { CauseSource, NodeId, NodeKind, OutcomeKind } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import type { FactMoments, NodeEnded, Observer } from '../../core/session/session-spec.ts';
import { msBetween } from '../../core/sources/monotonic-time.ts';
import { wasStopped } from '../../core/words/receipt-words.ts';

export interface OpenNode {
  readonly id: NodeId;
  readonly session: string;
  readonly kind: NodeKind;
  /** Its parent in the live tree; null: a root turn. */
  readonly parent: NodeId | null;
  /** The turn whose call has detached this agent. */
  readonly from?: NodeId | undefined;
  /** The tool's name of a call, the agent's name of a turn; null: it has none. */
  readonly name: string | null;
  /** The kind of a turn. `agent`: that of a sub-agent, detached or not. */
  readonly turnKind?: TurnOpened['kind'];
  /** The provider's id of a call. */
  readonly callId?: string | undefined;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** When its first fact was appended; null: in an earlier process. */
  readonly moments: FactMoments | null;
  /** Whether a turn waits in its lane. */
  isWaiting: boolean;
  /** The source of the first CANCEL that stops it; null: none does. */
  stoppedBy: CauseSource | null;
  /** The source of the first CANCEL that is pending for it. */
  pendingBy: CauseSource | null;
}

export interface ModelCallEnd {
  readonly session: string;
  readonly fact: FactOf<'model_ended'> & RecordedFact;
  /** The start of the call; null: an earlier process has recorded it. */
  readonly started: StartedModelCall | null;
  /** How long it took, in milliseconds; null: not known. */
  readonly ms: number | null;
}

type StartedModelCall = FactOf<'model_started'> & RecordedFact;

/** The end of a node. */
export interface NodeEnd {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly outcome: OutcomeKind;
  /** The fact of its end; null: its session has ended first, and records it with its next opening. */
  readonly fact: RecordedFact | null;
  /** The node while it was open; null: an earlier process has started it. */
  readonly node: OpenNode | null;
  /** The source of the CANCEL that stopped it; null: none did. */
  readonly stoppedBy: CauseSource | null;
  /** From its first fact to its end, in milliseconds; null: not known. */
  readonly ms: number | null;
}

export interface NodeListener {
  nodeStarted?(node: OpenNode): void;
  nodeEnded?(end: NodeEnd): void;
  modelStarted?(session: string, fact: FactOf<'model_started'> & RecordedFact): void;
  modelEnded?(end: ModelCallEnd): void;
  /** Every fact, before what follows from it. */
  fact?(fact: RecordedFact, moments: FactMoments | null): void;
}

interface Momentary<Fact> {
  readonly fact: Fact;
  readonly moments: FactMoments | null;
}

/** Model calls of sessions that were demolished have no end in this process. */
const maxModelCalls = 10_000;

const modelKey = ({ turn, index }: { readonly turn: NodeId; readonly index: number }) => `${turn} ${index}`;

/** The observer for `createRuntime`, which notifies listeners. */
export class OpenNodes implements Observer {
  readonly #nodes = new Map<NodeId, OpenNode>();
  readonly #modelCalls = new BoundedMap<string, Momentary<StartedModelCall>>(maxModelCalls);
  readonly #listeners: readonly NodeListener[];
  #last: (Momentary<RecordedFact> & { readonly session: string; readonly seq: number }) | null = null;

  constructor(listeners: readonly NodeListener[]) {
    this.#listeners = listeners;
  }

  /** The open nodes. */
  values(): Iterable<OpenNode> {
    return this.#nodes.values();
  }

  /** Called before `ended` of the same fact. */
  fact(session: string, seq: number, fact: RecordedFact, moments: FactMoments | null): void {
    this.#last = { session, seq, fact, moments };
    this.#notify((listener) => listener.fact?.(fact, moments));
    switch (fact.type) {
      case 'turn_opened':
        return this.#startNode({ ...turnOf(session, fact, moments), parent: null, from: fact.from, isWaiting: true });
      case 'turn_started':
        return this.#startTurn(session, fact, moments);
      case 'tool_call': {
        const { node: id, kind, turn: parent, name, callId, at } = fact;
        return this.#startNode({ ...common, id, session, kind, parent, name, callId, at, moments });
      }
      case 'cancel_accepted':
        return this.#markStopped(fact);
      case 'model_started':
        this.#modelCalls.set(modelKey(fact), { fact, moments });
        return this.#notify((listener) => listener.modelStarted?.(session, fact));
      case 'model_ended': {
        const start = this.#modelCalls.get(modelKey(fact));
        this.#modelCalls.delete(modelKey(fact));
        const end = { session, fact, started: start?.fact ?? null, ms: msFrom(start?.moments, moments) };
        return this.#notify((listener) => listener.modelEnded?.(end));
      }
      default:
        return;
    }
  }

  ended({ session, node: id, kind, outcome, seq }: NodeEnded): void {
    const node = this.#nodes.get(id) ?? null;
    this.#nodes.delete(id);
    const last = this.#last;
    const { fact, moments } = last?.seq === seq && last.session === session ? last : noFact;
    const ms = msFrom(node?.moments, moments);
    const end: NodeEnd = { id, kind, outcome, fact, node, stoppedBy: sourceOf(outcome, node), ms };
    this.#notify((listener) => listener.nodeEnded?.(end));
  }

  #startNode(node: OpenNode): void {
    if (this.#nodes.has(node.id)) return;
    this.#nodes.set(node.id, node);
    this.#notify((listener) => listener.nodeStarted?.(node));
  }

  #startTurn(session: string, fact: FactOf<'turn_started'> & RecordedFact, moments: FactMoments | null): void {
    const opened = this.#nodes.get(fact.turn);
    if (opened) opened.isWaiting = false;
    else this.#startNode({ ...turnOf(session, fact, moments), parent: fact.parent, isWaiting: false });
  }

  #markStopped({ source, stopping, pending }: FactOf<'cancel_accepted'>): void {
    for (const id of stopping) {
      const node = this.#nodes.get(id);
      if (node) node.stoppedBy ??= source;
    }
    for (const id of pending) {
      const node = this.#nodes.get(id);
      if (node) node.pendingBy ??= source;
    }
  }

  #notify(call: (listener: NodeListener) => void): void {
    for (const listener of this.#listeners) call(listener);
  }
}

const noFact = { fact: null, moments: null };

/** Returns the milliseconds between two appends; null if one of them was in an earlier process. */
const msFrom = (start: FactMoments | null | undefined, end: FactMoments | null): number | null =>
  start && end ? msBetween(start.appendedAt, end.appendedAt) : null;

const common = { isWaiting: false, stoppedBy: null, pendingBy: null } as const;

const turnOf = (
  session: string,
  fact: (FactOf<'turn_opened'> | FactOf<'turn_started'>) & RecordedFact,
  moments: FactMoments | null,
) => ({
  ...common,
  id: fact.turn,
  session,
  kind: 'turn' as const,
  name: fact.agent ?? null,
  at: fact.at,
  moments,
  // a root turn is opened before it starts: what starts without that is the turn of a sub-agent
  turnKind: fact.type === 'turn_opened' ? fact.kind : ('agent' as const),
});

/** Why a node was stopped. Where no CANCEL is known, a crash has ended it. */
function sourceOf(outcome: OutcomeKind, node: OpenNode | null): CauseSource | null {
  if (!wasStopped(outcome)) return null;
  if (outcome === 'timed_out') return 'deadline';
  if (outcome === 'superseded') return 'superseded';
  return node?.stoppedBy ?? node?.pendingBy ?? 'crash';
}
