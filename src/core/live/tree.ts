// The live tree of a session: its live nodes by id, and which of them have been cut. A plain map beside the machines.
//
// Owner: the session. Neighbors: workers/node.ts adds and removes nodes; machines never see the tree.
// 1. An entry lives from its actor's start until the actor is gone (a detached agent's: from the tick of its `detach` on).
// 2. All nodes of a plan are marked cut before the first signal aborts; the first cause of a node is kept.
import { addAbortListener } from 'node:events';
import type { Cause, NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { cancelErrorOf } from '../contracts/cancel-error.ts';
import type { Clock, MonotonicTime } from '../sources/sources.ts';
import { type Ancestor, type EventReceiver, type NewNode, NodeEntry, type TurnShield } from './node-entry.ts';
import { afterBudget } from './timers.ts';

/**
 * `cut`: marked, before any signal aborts. `aborted`: its signal fired. `arrived`: its machine got the CANCEL. `settled`: outcome reported. `idle`: a worker has
 * ended. `gone`: removed.
 */
export type NodeChange = 'cut' | 'aborted' | 'arrived' | 'settled' | 'idle' | 'gone';

export interface TreeObserver {
  /** Called in the tick of each change that it observes. Must not throw. */
  nodeChanged(entry: NodeEntry, change: NodeChange): void;
}

/** The limits of a wait: it ends early when the signal fires, or when the budget is over. */
export interface WaitLimits {
  readonly signal?: AbortSignal | undefined;
  readonly budget?: { readonly clock: Clock; readonly ms: number } | undefined;
}

/** Whether a CANCEL of a target is for the node itself. Speech is reached with its turn: it stands beside it, and outlives it. */
const isTarget = (node: Ancestor & Partial<NodeEntry>, target: string, by: SpeakerId | null) =>
  [node.id, node.kind === 'speech' && node.ancestors?.[0]?.id].includes(target) ||
  (target === 'mine' && node.owner === by);

const noObservers = { cut: [], aborted: [], arrived: [], settled: [], idle: [], gone: [] };

export class LiveTree {
  readonly #entries = new Map<NodeId, NodeEntry>();
  #observers: Readonly<Record<NodeChange, readonly TreeObserver[]>> = noObservers;

  get size(): number {
    return this.#entries.size;
  }

  /** The number of observers. */
  get observers(): number {
    return new Set(Object.values(this.#observers).flat()).size;
  }

  get(id: NodeId): NodeEntry | undefined {
    return this.#entries.get(id);
  }

  /** All entries, parents before children. */
  entries(): readonly NodeEntry[] {
    return [...this.#entries.values()];
  }

  /** Adds a node. One that was added before its actor started keeps its entry. */
  add(node: NewNode, actor: EventReceiver | null): NodeEntry {
    const reserved = this.#entries.get(node.id);
    if (reserved?.actor) throw new Error(`The live tree already has a node ${node.id}.`);
    if (reserved) {
      if (actor) reserved.start(actor);
      return reserved;
    }
    const entry = new NodeEntry(node, actor);
    const above = this.pathToRoot(entry)[1]?.state;
    if (above?.kind === 'pending') entry.defer(above.deferred);
    this.#entries.set(entry.id, entry);
    return entry;
  }

  /** Removes a node that is gone: nothing works for it, nothing lives below it. */
  remove(id: NodeId): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.settle();
    entry.timer?.stop();
    entry.turnShield?.disarm();
    this.#entries.delete(id);
    this.notify(entry, 'gone');
  }

  /** Marks a node whose outcome has been reported. */
  settle(id: NodeId): void {
    const entry = this.#entries.get(id);
    if (!entry?.settle()) return;
    entry.timer?.stop();
    this.notify(entry, 'settled');
  }

  startWork(entry: NodeEntry): void {
    entry.workers++;
  }

  endWork(entry: NodeEntry): void {
    entry.workers--;
    this.notify(entry, 'idle');
  }

  /** Calls the observer on these changes from now on. */
  observe(observer: TreeObserver, changes: readonly NodeChange[]): void {
    const added = changes.map((change) => [change, [...this.#observers[change], observer]] as const);
    this.#observers = { ...this.#observers, ...Object.fromEntries(added) };
  }

  unobserve(observer: TreeObserver): void {
    const without = (change: NodeChange) => this.#observers[change].filter((one) => one !== observer);
    this.#observers = {
      cut: without('cut'),
      aborted: without('aborted'),
      arrived: without('arrived'),
      settled: without('settled'),
      idle: without('idle'),
      gone: without('gone'),
    };
  }

  /**
   * Resolves as soon as `isMet` returns true, or when the signal fires, or when the budget is over. Calls `isMet` at once and after each
   * change of the tree.
   */
  async waitUntil(isMet: () => boolean, { signal, budget }: WaitLimits = {}): Promise<void> {
    if (isMet() || signal?.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const observer: TreeObserver = { nodeChanged: () => isMet() && resolve() };
    this.observe(observer, ['cut', 'settled', 'idle', 'gone']);
    const disarm = budget && afterBudget(budget.clock, budget.ms, resolve);
    using _ = signal ? addAbortListener(signal, () => resolve()) : null;
    await promise;
    disarm?.();
    this.unobserve(observer);
  }

  /** The entry and those above it, up to its root. */
  pathToRoot(entry: NodeEntry): readonly NodeEntry[] {
    const path: NodeEntry[] = [];
    for (let at: NodeEntry | undefined = entry; at; at = at.parent === null ? undefined : this.#entries.get(at.parent))
      path.push(at);
    return path;
  }

  /** The root turn that a node comes from. A detached agent comes from the turn that has detached it, which may be gone. */
  originOf(entry: NodeEntry): Ancestor {
    const root = this.pathToRoot(entry).at(-1) ?? entry;
    return root.ancestors.at(-1) ?? root;
  }

  /** Returns the speaker whose turn has detached the work that the node is part of; else the owner. A call that was made for another speaker belongs to that speaker. */
  requesterOf(entry: NodeEntry): SpeakerId {
    const root = this.pathToRoot(entry).at(-1) ?? entry;
    return entry.owner === root.owner ? (root.ancestors.at(-1)?.owner ?? entry.owner) : entry.owner;
  }

  isBelow(entry: NodeEntry, id: NodeId): boolean {
    return this.pathToRoot(entry).some((at) => at.id === id);
  }

  /** Whether the node is a leaf, which has a stop budget of its own: a call, or a sub-agent without a live turn. */
  isLeaf({ id, kind }: NodeEntry): boolean {
    if (kind !== 'sub-agent') return kind === 'tool-call';
    for (const { parent } of this.#entries.values()) if (parent === id) return false;
    return true;
  }

  /** Returns the nodes at and below a target whose outcome is open: a CANCEL can plan these. */
  below(target: string, by: SpeakerId | null): readonly NodeEntry[] {
    return this.entries().filter(
      (entry) =>
        entry.isOpen && (target === 'session' || this.pathToRoot(entry).some((at) => isTarget(at, target, by))),
    );
  }

  /** Returns the detached agents that were started below the target, but are not below it. */
  detachedFrom(target: string, by: SpeakerId | null): readonly NodeId[] {
    const below = new Set(this.below(target, by));
    return this.entries()
      .filter((entry) => entry.isOpen && !below.has(entry) && entry.ancestors.some((at) => isTarget(at, target, by)))
      .map(({ id }) => id);
  }

  /** Returns the node and all nodes above it, for the agent that it detaches. */
  ancestorsFrom(id: NodeId): readonly Ancestor[] {
    const entry = this.#entries.get(id);
    return entry
      ? this.pathToRoot(entry)
          .flatMap((at) => [at, ...at.ancestors])
          .map(({ id, owner, enteredAt }) => ({ id, owner, enteredAt }))
      : [];
  }

  /** Returns the latest end of the shields of a node and of the nodes above it; null: there is none. */
  shieldedUntil(entry: NodeEntry): MonotonicTime | null {
    const ends = this.pathToRoot(entry).flatMap(({ shield }) => shield?.until ?? []);
    return ends.reduce<MonotonicTime | null>((latest, end) => (latest !== null && latest > end ? latest : end), null);
  }

  /** The shield of the turn that the node comes from; null: the turn may be interrupted. */
  turnShieldOver(entry: NodeEntry): TurnShield | null {
    return this.pathToRoot(entry).at(-1)?.turnShield ?? null;
  }

  /** Ends the regions over these nodes, so that the cut that follows aborts them. */
  endRegions(ids: Iterable<NodeId>): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      for (const at of entry ? this.pathToRoot(entry) : []) at.shield = null;
    }
  }

  /**
   * Applies to a detached agent the CANCEL that is pending over the node that has detached it, if its target (`mine`, `session`) has the
   * agent in it: else a pending CANCEL would be outlived by what is started meanwhile.
   */
  inheritDeferred(agent: NodeEntry, from: NodeId): void {
    const parent = this.#entries.get(from);
    if (parent?.state.kind !== 'pending') return;
    const { deferred } = parent.state;
    const { target, by } = deferred.cause;
    if (target !== 'session' && !(target === 'mine' && agent.owner === by)) return;
    const until = this.turnShieldOver(parent)?.until;
    agent.defer({ ...deferred, ...(until !== undefined && { until }) });
  }

  /** Lets the nodes run on, to be cut when the shield of their turn ends. The first cause of a node is kept. */
  defer(nodes: ReadonlyMap<NodeId, Cause>, force: boolean): void {
    for (const [id, cause] of nodes) this.#entries.get(id)?.defer({ cause, force });
  }

  /** Marks ALL nodes before it aborts the first one: a worker that ends early then finds its siblings cut already. */
  cut(stop: ReadonlyMap<NodeId, Cause>): void {
    const marked: NodeEntry[] = [];
    for (const [id, cause] of stop) {
      const entry = this.#entries.get(id);
      if (entry?.markCut(cause)) marked.push(entry);
    }
    for (const entry of marked) this.notify(entry, 'cut');
    for (const { id } of marked) this.abort(id);
  }

  /** Aborts the workers of a node. Has no effect under a shield: the end of the shield aborts the nodes that were cut. */
  abort(id: NodeId): void {
    const entry = this.#entries.get(id);
    if (!entry || this.shieldedUntil(entry) !== null) return;
    const { mark } = entry.state;
    if (mark?.work === 'running') mark.work = 'aborted';
    if (entry.stopper.signal.aborted) return;
    entry.stopper.abort(mark && cancelErrorOf(mark.cause));
    this.notify(entry, 'aborted');
  }

  /** Aborts the workers of a node, skips the grace, and kills the work of killable tools. Under a shield only marks the node as forced. */
  kill(id: NodeId): void {
    const entry = this.#entries.get(id);
    const mark = entry?.state.mark;
    if (!mark) return;
    mark.forced = true;
    if (this.shieldedUntil(entry) !== null) return;
    this.abort(id); // it may have been pending in a region that is open now
    const error = cancelErrorOf(mark.cause);
    entry.stopTerms?.killer?.abort(error);
    entry.graceSkipper.abort(error);
  }

  /** Notifies those who observe the change. */
  notify(entry: NodeEntry, change: NodeChange): void {
    for (const observer of this.#observers[change]) observer.nodeChanged(entry, change);
  }
}
