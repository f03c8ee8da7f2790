// The live tree of a session: what is alive, whose it is, and whether it has been cut. A plain map beside the machines.
//
// Owner: the runtime's session. Neighbors: actors/node enters and leaves, machines never see it.
// 1. An entry lives from its actor's start until the actor is gone (a detached agent: from the opening of its call).
// 2. All nodes of a plan are marked cut before the first signal aborts; the first cause of a node is kept.
import type { ApprovalRequested, QuestionAsked } from '../../machines/facts.ts';
import type { Cause, NodeId, NodeKind, SpeakerId } from '../../machines/vocabulary.ts';
import type { Stopwatch } from './pausable-timer.ts';

/** What the tree can say to a node. */
export interface Receiver {
  send(event: { readonly type: string }): void;
}

/** What a call has asked somebody: an approval, or a question. One answer wins; closing it is the business of who asked. */
export interface Question {
  /** Whom, and in which words. */
  readonly asked: ApprovalRequested | QuestionAsked;
  answer(answer: QuestionAnswer): void;
  /** Who has asked does not want to know any more. */
  withdraw(): void;
}

export interface QuestionAnswer {
  readonly answer: 'approved' | 'denied' | 'answered';
  readonly text: string | null;
  readonly by: SpeakerId;
  readonly ref: string | null;
}

/** A region in which a node is not aborted. */
export interface Shield {
  /** The latest end, in milliseconds since 1970. */
  readonly until: number;
}

/** An ancestor of a detached agent, remembered after it has gone. */
interface Ancestor {
  readonly id: NodeId;
  readonly owner: SpeakerId;
}

export interface Entry {
  readonly id: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  /** Of a detached agent: where it comes from. */
  readonly line: readonly Ancestor[];
  /** The tool's name, or the agent's, of its turn too; null for a turn of the session's own. */
  readonly name: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Null: entered, but its actor has not started yet. */
  actor: Receiver | null;
  /** Its signal is the node's: it stops what works for it. */
  readonly stopper: AbortController;
  /** Skips graces. */
  readonly hurrier: AbortController;
  /** Kills what the node owns; null: nothing of it may be killed. Only the work of a killable tool has one. */
  killer: AbortController | null;
  cut: Cause | null;
  /** Somebody asked to skip the grace. */
  forced: boolean;
  question: Question | null;
  /** Its timeout or deadline. */
  stopwatch: Stopwatch | null;
  /** Protects what lies below as well. */
  shield: Shield | null;
  /** `fixed`: the outcome stands, the closing is under way. `settled`: it was told. */
  state: 'open' | 'fixed' | 'settled';
  /** How many workers run for it. */
  working: number;
  /** Its machine threw: nobody passes anything on. */
  thrown: boolean;
}

export type NewEntry = Pick<Entry, 'id' | 'kind' | 'owner' | 'parent' | 'name' | 'since'> & {
  readonly line?: Entry['line'];
};

export type Tree = ReturnType<typeof createTree>;

/** `onCut` hears each node that has been marked, in the same tick, before any signal aborts. */
export function createTree({ onCut = () => {} }: { onCut?: (entry: Entry) => void } = {}) {
  const entries = new Map<NodeId, Entry>();
  const watchers = new Set<(entry: Entry) => void>();
  const told = (entry: Entry) => {
    for (const watcher of [...watchers]) watcher(entry);
  };

  /** The entry and what lies above it, up to its root. */
  const chain = (entry: Entry): Entry[] => {
    const above: Entry[] = [];
    for (let at: Entry | undefined = entry; at; at = at.parent === null ? undefined : entries.get(at.parent))
      above.push(at);
    return above;
  };
  const names = (at: Ancestor, target: string, by: SpeakerId | null) =>
    at.id === target || (target === 'mine' && at.owner === by);

  const tree = {
    get: (id: NodeId): Entry | undefined => entries.get(id),
    all: (): readonly Entry[] => [...entries.values()],
    get size() {
      return entries.size;
    },

    /** Enters a node; one that was entered before its actor keeps what it has. */
    enter(fresh: NewEntry, actor: Receiver | null): Entry {
      const reserved = entries.get(fresh.id);
      if (reserved?.actor) throw new Error(`twice alive: ${fresh.id}`);
      if (reserved) {
        reserved.actor = actor;
        return reserved;
      }
      const entry: Entry = {
        line: [],
        ...fresh,
        actor,
        stopper: new AbortController(),
        hurrier: new AbortController(),
        killer: null,
        cut: null,
        forced: false,
        question: null,
        stopwatch: null,
        shield: null,
        state: 'open',
        working: 0,
        thrown: false,
      };
      entries.set(entry.id, entry);
      return entry;
    },

    /** The outcome of a turn stands: from now on a CANCEL plans only what lies below it. */
    fix(id: NodeId): void {
      const entry = entries.get(id);
      if (entry?.state === 'open') entry.state = 'fixed';
    },

    settle(id: NodeId): void {
      const entry = entries.get(id);
      if (!entry || entry.state === 'settled') return;
      entry.state = 'settled';
      told(entry);
    },

    /** The node is gone: nothing works for it, nothing lives below it. */
    leave(id: NodeId): void {
      const entry = entries.get(id);
      if (!entry) return;
      entry.state = 'settled';
      entries.delete(id);
      told(entry);
    },

    /** Hears of each entry that has settled or gone. Returns the way to stop hearing. */
    watch(watcher: (entry: Entry) => void): () => void {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },

    /** The end of the last shield over a node, its own or one above it; null: there is none. */
    shieldedUntil(entry: Entry): number | null {
      const ends = chain(entry).flatMap(({ shield }) => shield?.until ?? []);
      return ends.length > 0 ? Math.max(...ends) : null;
    },

    /** Without anything alive below it: what is told to stop by a budget, not by its children. */
    isLeaf: ({ id, kind }: Entry): boolean => {
      if (kind !== 'sub-agent') return kind === 'tool-call';
      return ![...entries.values()].some(({ parent }) => parent === id);
    },

    /** The entry and what lies above it, up to its root. */
    upwards: chain,

    isBelow: (entry: Entry, id: NodeId): boolean => chain(entry).some((at) => at.id === id),

    /** What a CANCEL of the target can plan: the nodes at and below it whose outcome is open. */
    below(target: string, by: SpeakerId | null): readonly Entry[] {
      return [...entries.values()].filter(
        (entry) => entry.state === 'open' && (target === 'session' || chain(entry).some((at) => names(at, target, by))),
      );
    },

    /** The detached agents that come from below the target, but do not lie there. */
    detachedFrom(target: string, by: SpeakerId | null): readonly NodeId[] {
      const below = new Set(tree.below(target, by));
      return [...entries.values()]
        .filter(
          (entry) => entry.state === 'open' && !below.has(entry) && entry.line.some((at) => names(at, target, by)),
        )
        .map(({ id }) => id);
    },

    /** Where a node stands, for the agent that it detaches. */
    lineOf(id: NodeId): readonly Ancestor[] {
      const entry = entries.get(id);
      return entry ? chain(entry).flatMap((at) => [{ id: at.id, owner: at.owner }, ...at.line]) : [];
    },

    /** Marks ALL, then aborts: a worker that ends early finds its siblings cut already. */
    cut(stop: ReadonlyMap<NodeId, Cause>): void {
      const fresh: Entry[] = [];
      for (const [id, cause] of stop) {
        const entry = entries.get(id);
        if (!entry || entry.cut) continue;
        entry.cut = cause;
        fresh.push(entry);
      }
      for (const entry of fresh) onCut(entry);
      for (const { id } of fresh) tree.abort(id);
    },

    /** Waits for a shield: its end aborts what has been cut. */
    abort(id: NodeId): void {
      const entry = entries.get(id);
      if (entry && tree.shieldedUntil(entry) === null) entry.stopper.abort(entry.cut);
    },

    /** Skips the grace, and kills what may be killed; a shield is not opened by it. */
    kill(id: NodeId): void {
      const entry = entries.get(id);
      if (!entry) return;
      entry.forced = true;
      if (tree.shieldedUntil(entry) !== null) return;
      entry.killer?.abort(entry.cut);
      entry.hurrier.abort(entry.cut);
    },
  };
  return tree;
}
