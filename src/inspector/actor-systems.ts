// The actor systems that are alive: one for each session, one for each turn tree, which hangs on a link of its session, one for the speech of a
// voice session, and one for the connections of each gateway.
import type { AnyActorRef, Subscription } from 'xstate';
import type { InspectedSystem } from '../core/workers/runtime-inspector.ts';
import type { InspectedConnections } from '../wire/inspection-source.ts';
import { ConnectionScopes, type RecordScope } from './connection-scopes.ts';
import { childrenOf } from './make-records.ts';
import { type NodeDraft, NodeRecords } from './node-records.ts';

export interface ActorSystem {
  readonly root: AnyActorRef;
  /** The actor that the tree hangs on: the link of a turn, the session of its speech; null: it is a tree of its own. */
  readonly parent: AnyActorRef | null;
  /** The root of the session's own system. */
  readonly sessionRoot: AnyActorRef;
  /** The session whose actors these are; null: the connections of a gateway. */
  readonly scope: RecordScope | null;
  readonly connections: ConnectionScopes | null;
  /** The node records of a session's own system. */
  readonly nodes: NodeRecords | null;
  /** The subscription to the events of the system; null while nobody listens. */
  observer: Subscription | null;
}

type AppendNode = (scope: RecordScope, draft: NodeDraft) => void;

/** An actor with its system and its parent across systems. */
export interface LocatedActor {
  readonly actor: AnyActorRef;
  readonly system: ActorSystem;
  readonly parent: AnyActorRef | null;
}

export class ActorSystems implements Iterable<ActorSystem> {
  readonly #alive = new Set<ActorSystem>();
  readonly #bySession = new Map<string, ActorSystem>();
  /** The system by XState's own. Systems that are gone are here too: their last events still come. */
  readonly #byXstateSystem = new WeakMap<AnyActorRef['system'], ActorSystem>();

  [Symbol.iterator](): Iterator<ActorSystem> {
    return this.#alive.values();
  }

  /** `append` takes the records of the session's nodes. */
  add(root: AnyActorRef, { session, parent: above, tree }: InspectedSystem, append: AppendNode): ActorSystem {
    const parent = above as AnyActorRef | null; // a runtime attaches actors of XState
    const sessionRoot = (parent && this.systemOf(parent)?.sessionRoot) ?? root;
    const scope = { session, root: sessionRoot.sessionId, sessions: [session] };
    const nodes = tree ? new NodeRecords(tree, (draft) => append(scope, draft)) : null;
    const system = this.#add({ root, parent, sessionRoot, scope, nodes, connections: null, observer: null });
    if (nodes) this.#bySession.set(session, system);
    return system;
  }

  /** Adds the connections of a gateway. */
  addConnections(connections: InspectedConnections): ActorSystem {
    const root = connections.parent as AnyActorRef; // a gateway attaches actors of XState
    const scopes = new ConnectionScopes(connections);
    return this.#add({
      root,
      parent: null,
      sessionRoot: root,
      scope: null,
      nodes: null,
      connections: scopes,
      observer: null,
    });
  }

  /** Finds the own system of a session that is alive. */
  ofSession(session: string): ActorSystem | undefined {
    return this.#bySession.get(session);
  }

  systemOf(actor: AnyActorRef): ActorSystem | undefined {
    return this.#byXstateSystem.get(actor.system);
  }

  /** Finds an actor's system and parent. An actor of a system that was never added counts to `otherwise`. */
  locate(actor: AnyActorRef, otherwise: ActorSystem): LocatedActor {
    const system = this.systemOf(actor) ?? otherwise;
    const parent = (actor === system.root ? system.parent : actor._parent) ?? null;
    return { actor, system, parent: system.connections && parent === system.root ? null : parent };
  }

  /** Removes a system whose root is gone; with a session's own, those that hang on it. */
  remove(system: ActorSystem): void {
    const gone = system.parent ? [system] : [...this.#alive].filter(({ sessionRoot }) => sessionRoot === system.root);
    // the root's last state is still to come
    queueMicrotask(() => {
      for (const each of gone) {
        stopObserving(each);
        this.#alive.delete(each);
        const { session = '' } = each.scope ?? {};
        if (this.#bySession.get(session) === each) this.#bySession.delete(session);
      }
    });
  }

  /** Lists the actors that are alive, parents first, each turn tree after its link. */
  *actors(): Generator<LocatedActor> {
    const hanging = Map.groupBy(this.#alive, ({ parent }) => parent);
    for (const system of hanging.get(null) ?? []) {
      if (!system.connections) yield* below(system.root, system, null, hanging);
      else for (const actor of system.connections.actors()) yield* below(actor, system, null, hanging);
    }
  }

  #add(system: ActorSystem): ActorSystem {
    this.#alive.add(system);
    this.#byXstateSystem.set(system.root.system, system);
    return system;
  }
}

/** `hanging`: the systems by the actors that they hang on. */
function* below(
  actor: AnyActorRef,
  system: ActorSystem,
  parent: AnyActorRef | null,
  hanging: ReadonlyMap<AnyActorRef | null, readonly ActorSystem[]>,
): Generator<LocatedActor> {
  yield { actor, system, parent };
  for (const child of childrenOf(actor)) yield* below(child, system, actor, hanging);
  for (const tree of hanging.get(actor) ?? []) yield* below(tree.root, tree, actor, hanging);
}

/** Removes the observers of a system, if it has some. */
export function stopObserving(system: ActorSystem): void {
  if (system.observer) system.nodes?.stop();
  system.observer?.unsubscribe();
  system.observer = null;
}
