// One live node: everything that the runtime keeps for a turn, a tool call or a sub-agent. It is dropped with the entry.
import type { ApprovalRequested, QuestionAsked } from '../../../machines/facts.ts';
import type { AwaitedCall } from '../../../machines/live-view.ts';
import type { Cause, NodeId, NodeKind, SpeakerId } from '../../../machines/vocabulary.ts';
import type { Disarm } from '../sources/sources.ts';
import type { PausableTimer } from './pausable-timer.ts';

/** The actor of a node, as far as the tree uses it. */
export interface EventReceiver {
  send(event: { readonly type: string }): void;
}

/** An open question of a call: an approval, or a question in words. It is closed once, by an answer or by its withdrawal. */
export interface Question {
  readonly id: string;
  /** Whether it is the first one of its call: an answer to it need not name it. */
  readonly isFirst: boolean;
  readonly asked: ApprovalRequested | QuestionAsked;
  /** Closes it with an answer. */
  answer(answer: QuestionAnswer): void;
  /** Closes it without one. */
  withdraw(): void;
}

export interface QuestionAnswer {
  readonly answer: 'approved' | 'denied' | 'answered';
  readonly text: string | null;
  readonly by: SpeakerId;
  /** The speaker of the connection, where it is another one. */
  readonly via?: SpeakerId | undefined;
  readonly ref: string | null;
}

/** A region in which a node is not aborted. */
export interface Shield {
  /** The latest end, in milliseconds since 1970. */
  readonly until: number;
}

/** The shield of a turn that may not be interrupted: all of it goes on, and a CANCEL is deferred until the shield ends. */
export interface TurnShield {
  /** The latest end, in milliseconds since 1970; `Infinity`: the end of the turn. */
  readonly until: number;
  readonly disarm: Disarm;
}

/** A CANCEL that takes effect at the end of the turn's shield. */
export interface DeferredCut {
  readonly cause: Cause;
  readonly force: boolean;
  /** Of an agent that was detached under it: the end of the shield that it was started under, in milliseconds since 1970. */
  readonly until?: number;
}

/** One timer for the leaves that were cut together. */
export interface StopBudget {
  readonly unsettled: Set<NodeEntry>;
  readonly disarm: Disarm;
}

/** An ancestor of a detached agent, remembered after it has gone. */
export interface Ancestor {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  readonly enteredAt: number;
}

/** A node as it enters the tree. */
export interface NewNode {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  /** The tool's name or the agent's (also of an agent's turn); null for a turn of the session's own. */
  readonly name: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The sequence number of the session's last fact when it entered the tree; of a SAY's turn, that of its `turn_opened`. */
  readonly enteredAt: number;
  /** Of an acknowledgement: the id of the receipt that it acknowledges. */
  readonly acknowledges?: string | undefined;
  /** Of a detached agent: the nodes above the call that started it. */
  readonly ancestors?: readonly Ancestor[];
}

export class NodeEntry {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  readonly name: string | null;
  readonly since: number;
  readonly enteredAt: number;
  /** Of an acknowledgement: the id of its receipt; null: it is none. */
  readonly acknowledges: string | null;
  readonly ancestors: readonly Ancestor[];
  /** Null: the node was added, but its actor has not started yet. */
  actor: EventReceiver | null;
  /** Its signal stops the workers of the node. */
  readonly stopper = new AbortController();
  /** Its signal tells the node's work to skip the grace. */
  readonly graceSkipper = new AbortController();
  /** Kills the work of a killable tool; null: nothing of the node may be killed. */
  killer: AbortController | null = null;
  cut: Cause | null = null;
  /** Whether a CANCEL with `force` has reached the node. */
  forced = false;
  question: Question | null = null;
  /** The number of questions it has asked, the open one included. */
  questionsAsked = 0;
  /** The timer of its timeout or deadline. */
  timer: PausableTimer | null = null;
  /** Protects the nodes below as well. */
  shield: Shield | null = null;
  /** Of a root turn that may not be interrupted. */
  turnShield: TurnShield | null = null;
  deferredCut: DeferredCut | null = null;
  /** The stop budget that its tool has of its own, in milliseconds; null: the tool has none, or the call is not at work yet. */
  stopBudgetMs: number | null = null;
  /** The time that it may take to stop: only for a leaf that is cut. */
  budget: StopBudget | null = null;
  /** The request that was built for its next model call: see workers/preparing.ts. */
  request: unknown = null;
  /** The key under which the call replaces earlier calls. */
  supersessionKey: string | null = null;
  /** `fixed`: the outcome stands, the closing is being written. `settled`: the outcome was reported. */
  state: 'open' | 'fixed' | 'settled' = 'open';
  /** The state of its chart, without what is inside that; null: it has not started yet. */
  phase: string | null = null;
  /** The call that it waits for before it starts. */
  waitsFor: AwaitedCall | null = null;
  /** The number of workers that run for it. */
  workers = 0;
  /** Whether its machine has thrown: then it handles no event. */
  crashed = false;

  constructor(
    { id, kind, owner, parent, name, since, enteredAt, acknowledges, ancestors = [] }: NewNode,
    actor: EventReceiver | null,
  ) {
    this.id = id;
    this.kind = kind;
    this.owner = owner;
    this.parent = parent;
    this.name = name;
    this.since = since;
    this.enteredAt = enteredAt;
    this.acknowledges = acknowledges ?? null;
    this.ancestors = ancestors;
    this.actor = actor;
  }

  /** The first cause for which it was stopped, or will be when the shield of its turn ends. */
  get firstCause(): Cause | null {
    return this.cut ?? this.deferredCut?.cause ?? null;
  }

  /** Whether the node has no outcome and is not cut. */
  get isRunning(): boolean {
    return this.state === 'open' && this.cut === null;
  }
}
