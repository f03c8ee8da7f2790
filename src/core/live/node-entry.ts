// One live node: everything that the runtime keeps for a turn, a tool call or a sub-agent. It is dropped with the entry.
//
// 1. A node has one state, and its actor another one: an actor may crash in any state of its node. Only the methods of the entry change them.
// 2. The cut of a node is kept to its end: what still works for a settled node is stopped for the same cause.
import type { ApprovalRequested, QuestionAsked } from '../../../machines/facts.ts';
import type { AwaitedCall } from '../../../machines/live-view.ts';
import type { AnswerKind, Cause, NodeId, NodeKind, SpeakerId } from '../../../machines/vocabulary.ts';
import { LateSignal } from '../sources/abort-signals.ts';
import type { Disarm, MonotonicTime } from '../sources/sources.ts';
import type { PausableTimer } from './timers.ts';
import type { UnopenedCalls } from './unopened-calls.ts';
import type { WaitedTime } from './waited-time.ts';

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
  readonly answer: AnswerKind;
  readonly text: string | null;
  readonly by: SpeakerId;
  /** The speaker of the connection, where it is another one. */
  readonly via?: SpeakerId | undefined;
  readonly ref: string | null;
}

/** A region in which a node is not aborted. */
export interface Shield {
  /** The latest end. */
  readonly until: MonotonicTime;
}

/** The shield of a turn that may not be interrupted: all of it goes on, and a CANCEL is deferred until the shield ends. */
export interface TurnShield {
  /** The latest end; null: the end of the turn. */
  readonly until: MonotonicTime | null;
  readonly disarm: Disarm;
}

/** A CANCEL that takes effect at the end of the turn's shield. */
export interface DeferredCut {
  readonly cause: Cause;
  readonly force: boolean;
  /** The end of the shield that an agent was started under, where the agent was detached. */
  readonly until?: TurnShield['until'];
}

/** One timer for the leaves that were cut together. */
export interface StopBudget {
  readonly unsettled: Set<NodeEntry>;
  readonly disarm: Disarm;
}

/** The mark of a node that was stopped. */
export interface CutMark {
  /** The first one. */
  readonly cause: Cause;
  /** `aborted`: its signal has fired. `ended`: its worker has ended, and will report it; no budget runs any more. */
  work: 'running' | 'aborted' | 'ended';
  /** Whether a CANCEL with `force` has reached the node. */
  forced: boolean;
  /** The time that the node may take to stop: only of a leaf whose signal has fired. */
  budget: StopBudget | null;
}

/** How far a node is. `mark`: of its cut; null: it is not cut. */
export type EntryState =
  | { readonly kind: 'running'; readonly mark: null }
  /** It runs on until the shield of its turn ends; then it is cut. */
  | { readonly kind: 'pending'; readonly deferred: DeferredCut; readonly mark: null }
  /** It is being stopped. */
  | { readonly kind: 'cut'; readonly mark: CutMark }
  /** The outcome of the turn stands, its closing is being written. */
  | { readonly kind: 'fixed'; readonly mark: CutMark | null }
  /** Its outcome was reported. */
  | { readonly kind: 'settled'; readonly mark: CutMark | null };

/** How far the actor of a node is. */
type ActorState =
  /** The node was added before its actor. An input never has one. */
  | { readonly kind: 'unstarted' }
  | { readonly kind: 'live'; readonly actor: EventReceiver }
  /** It threw: it handles no event. */
  | { readonly kind: 'crashed'; readonly actor: EventReceiver };

/** How the work of a call can be stopped. */
export interface StopTerms {
  /** Kills the work of a killable tool; null: nothing of the call may be killed. */
  readonly killer: LateSignal | null;
  /** The stop budget that the tool has of its own, in milliseconds; null: it has none. */
  readonly budgetMs: number | null;
}

// shared by all nodes: most of them are never stopped
const running: EntryState = { kind: 'running', mark: null };
const fixed: EntryState = { kind: 'fixed', mark: null };
const settled: EntryState = { kind: 'settled', mark: null };
const unstarted: ActorState = { kind: 'unstarted' };

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
  /** When it entered the tree, in milliseconds since 1970: for those who are shown it. */
  readonly since: number;
  /** The same moment, for the time that has passed since. */
  readonly addedAt: MonotonicTime;
  /** The sequence number of the session's last fact when it entered the tree; of a SAY's turn, that of its `turn_opened`. */
  readonly enteredAt: number;
  /** The id of the receipt that an acknowledgement acknowledges. */
  readonly acknowledges?: string | undefined;
  /** The id of the call that a turn was opened for: an OPEN_CALL. */
  readonly opensCall?: NodeId | undefined;
  /** The nodes above the call that has started a detached agent. */
  readonly ancestors?: readonly Ancestor[];
}

export class NodeEntry {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  readonly name: string | null;
  readonly since: number;
  readonly addedAt: MonotonicTime;
  readonly enteredAt: number;
  /** The id of the receipt that it acknowledges; null: it is no acknowledgement. */
  readonly acknowledges: string | null;
  /** The id of the call that it was opened for; null: it is no turn of an OPEN_CALL. */
  readonly opensCall: NodeId | null;
  readonly ancestors: readonly Ancestor[];
  /** Its signal stops the workers of the node. */
  readonly stopper = new AbortController();
  /** Its signal makes the node's work skip the grace. */
  readonly graceSkipper = new LateSignal();
  #state: EntryState = running;
  #actor: ActorState;
  question: Question | null = null;
  /** The number of questions it has asked, the open one included. */
  questionsAsked = 0;
  /** The timer of its timeout or deadline. */
  timer: PausableTimer | null = null;
  /** How long it has waited since it started, for people or other calls; null: not at all. */
  waited: WaitedTime | null = null;
  /** Protects the nodes below as well. */
  shield: Shield | null = null;
  /** The shield of a root turn that may not be interrupted. */
  turnShield: TurnShield | null = null;
  /** How its tool can be stopped; null: no tool is at work for it yet. */
  stopTerms: StopTerms | null = null;
  /** The request that was built for its next model call: see workers/preparing.ts. */
  request: unknown = null;
  /** The calls of its last response, until they are opened; null: it has made none. See workers/response-calls.ts. */
  unopened: UnopenedCalls | null = null;
  /** The key under which the call replaces earlier calls. */
  supersessionKey: string | null = null;
  /** The state of its chart, without what is inside that; null: it has not started yet. */
  phase: string | null = null;
  /** The call that it waits for before it starts. */
  waitsFor: AwaitedCall | null = null;
  /** The number of workers that run for it. */
  workers = 0;

  constructor(
    { id, kind, owner, parent, name, since, addedAt, enteredAt, acknowledges, opensCall, ancestors = [] }: NewNode,
    actor: EventReceiver | null,
  ) {
    this.id = id;
    this.kind = kind;
    this.owner = owner;
    this.parent = parent;
    this.name = name;
    this.since = since;
    this.addedAt = addedAt;
    this.enteredAt = enteredAt;
    this.acknowledges = acknowledges ?? null;
    this.opensCall = opensCall ?? null;
    this.ancestors = ancestors;
    this.#actor = actor ? { kind: 'live', actor } : unstarted;
  }

  // -- what is read of it

  get state(): EntryState {
    return this.#state;
  }

  /** The cause of its cut; null: it is not cut. */
  get cut(): Cause | null {
    return this.#state.mark?.cause ?? null;
  }

  /** The first cause for which it was stopped, or will be when the shield of its turn ends. */
  get firstCause(): Cause | null {
    return this.#state.kind === 'pending' ? this.#state.deferred.cause : this.cut;
  }

  /** Whether it is a turn that answers the words of a speaker. */
  get isSaid(): boolean {
    const isOther = this.acknowledges !== null || this.opensCall !== null || this.ancestors.length > 0;
    return this.kind === 'turn' && this.parent === null && !isOther;
  }

  /** Whether its outcome is open: a CANCEL can plan it. */
  get isOpen(): boolean {
    const { kind } = this.#state;
    return kind === 'running' || kind === 'pending' || kind === 'cut';
  }

  /** Whether it is running or pending: its outcome is open, and it is not cut. */
  get runsOn(): boolean {
    return this.#state.kind === 'running' || this.#state.kind === 'pending';
  }

  get isSettled(): boolean {
    return this.#state.kind === 'settled';
  }

  /** Its actor, also after a crash; null: it has not started. */
  get actor(): EventReceiver | null {
    return this.#actor.kind === 'unstarted' ? null : this.#actor.actor;
  }

  get hasCrashed(): boolean {
    return this.#actor.kind === 'crashed';
  }

  /** Sends its actor an event. Has no effect before the actor has started, and after it has crashed. */
  send(event: Parameters<EventReceiver['send']>[0]): void {
    if (this.#actor.kind === 'live') this.#actor.actor.send(event);
  }

  // -- its transitions: those of the node are called by the live tree

  /** Its actor has started. */
  start(actor: EventReceiver): void {
    if (this.#actor.kind === 'unstarted') this.#actor = { kind: 'live', actor };
  }

  /** Its actor threw. The node stays as it is: the session unwinds it. */
  crash(): void {
    if (this.#actor.kind === 'live') this.#actor = { kind: 'crashed', actor: this.#actor.actor };
  }

  /** It runs on, and is cut when the shield of its turn ends. The first cause is kept. */
  defer(deferred: DeferredCut): void {
    const state = this.#state;
    if (state.kind === 'running') this.#state = { kind: 'pending', deferred, mark: null };
    else if (state.kind === 'pending' && deferred.force)
      this.#state = { kind: 'pending', deferred: { ...state.deferred, force: true }, mark: null };
  }

  /** Marks it as cut. Returns false if it was cut before: the first cause is kept. */
  markCut(cause: Cause): boolean {
    if (this.#state.mark) return false;
    const mark: CutMark = { cause, work: 'running', forced: false, budget: null };
    const { kind } = this.#state;
    this.#state = { kind: kind === 'fixed' || kind === 'settled' ? kind : 'cut', mark };
    return true;
  }

  /** Its outcome stands from now on. */
  fix(): void {
    const { mark } = this.#state;
    if (this.isOpen) this.#state = mark ? { kind: 'fixed', mark } : fixed;
  }

  /** Its outcome was reported. Returns false if it was before. */
  settle(): boolean {
    const { kind, mark } = this.#state;
    if (kind === 'settled') return false;
    this.#state = mark ? { kind: 'settled', mark } : settled;
    return true;
  }
}
