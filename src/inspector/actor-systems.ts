// The actor systems of a runtime that are alive: one for each session, and one for each turn tree, which hangs on a link of its session.
import type { AnyActorRef, Subscription } from 'xstate';
import { childrenOf } from './make-records.ts';

export interface ActorSystem {
  readonly root: AnyActorRef;
  readonly session: string;
  /** The link that a turn tree hangs on; null: the session's own system. */
  readonly parent: AnyActorRef | null;
  /** The root of the session's own system. */
  readonly sessionRoot: AnyActorRef;
  /** Null while nobody listens. */
  observer: Subscription | null;
}

/** An actor with its system and its parent across systems. */
export interface LocatedActor {
  readonly actor: AnyActorRef;
  readonly system: ActorSystem;
  readonly parent: AnyActorRef | null;
}

export class ActorSystems implements Iterable<ActorSystem> {
  readonly #alive = new Set<ActorSystem>();
  /** Also of systems that are gone: their last events still come. */
  readonly #byXstateSystem = new WeakMap<AnyActorRef['system'], ActorSystem>();

  [Symbol.iterator](): Iterator<ActorSystem> {
    return this.#alive.values();
  }

  add(root: AnyActorRef, session: string, parent: AnyActorRef | null): ActorSystem {
    const sessionRoot = (parent && this.systemOf(parent)?.sessionRoot) ?? root;
    const system: ActorSystem = { root, session, parent, sessionRoot, observer: null };
    this.#alive.add(system);
    this.#byXstateSystem.set(root.system, system);
    return system;
  }

  systemOf(actor: AnyActorRef): ActorSystem | undefined {
    return this.#byXstateSystem.get(actor.system);
  }

  /** Finds an actor's system and parent. An actor of a system that was never added counts to `otherwise`. */
  locate(actor: AnyActorRef, otherwise: ActorSystem): LocatedActor {
    const system = this.systemOf(actor) ?? otherwise;
    const parent = (actor === system.root ? system.parent : actor._parent) ?? null;
    return { actor, system, parent };
  }

  /** Removes a system whose root is gone; with a session's own, the turn trees that no actor waits for any more. */
  remove(system: ActorSystem): void {
    const gone = system.parent ? [system] : [...this.#alive].filter(({ sessionRoot }) => sessionRoot === system.root);
    // the root's last state is still to come
    queueMicrotask(() => {
      for (const each of gone) {
        stopObserving(each);
        this.#alive.delete(each);
      }
    });
  }

  /** Lists the actors that are alive, parents first, each turn tree after its link. */
  *actors(): Generator<LocatedActor> {
    for (const system of this.#alive) if (system.parent === null) yield* this.#below(system.root, system, null);
  }

  *#below(actor: AnyActorRef, system: ActorSystem, parent: AnyActorRef | null): Generator<LocatedActor> {
    yield { actor, system, parent };
    for (const child of childrenOf(actor)) yield* this.#below(child, system, actor);
    if (actor.src !== 'link') return;
    for (const tree of this.#alive) if (tree.parent === actor) yield* this.#below(tree.root, tree, actor);
  }
}

/** Removes the observer of a system, if it has one. */
export function stopObserving(system: ActorSystem): void {
  system.observer?.unsubscribe();
  system.observer = null;
}
