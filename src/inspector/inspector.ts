// The inspector: sees every actor of a runtime as one tree, while somebody listens. Nothing is observed while nobody does.
//
// Owner: whoever starts the runtime (RuntimeConfig.inspector). Neighbors: actors/plane.ts shows it each actor system, relay.ts listens.
// 1. An actor system is observed from the first listener on, until the last one has gone; in between nothing is kept of it but its root.
// 2. Inside an actor's step only a record is made, in a ring; listeners hear it in a turn of the loop of its own, so that no listener
//    stands between a CANCEL and what it stops. One that falls behind the ring loses the oldest records, and sees it in `n`.
// 3. A parent is told before its children, an actor before its events.
import type { AnyActorRef, InspectionEvent, Subscription } from 'xstate';
import type { RuntimeConfig } from '../runtime/config.ts';
import type { Clock } from '../sources/sources.ts';
import {
  actorRecord,
  childrenOf,
  type Draft,
  eventRecord,
  type InspectionRecord,
  stateRecord,
} from './inspection-record.ts';
import type { Showing } from './visible-fields.ts';

export interface InspectorOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** How many records are kept while somebody listens, and how far a listener may fall behind. Default: 2 000. */
  readonly keep?: number;
  /**
   * `lengths` (default): what people, models and tools have written never leaves, only how long it is. `texts`: the first 1 024
   * characters of each leave as well. Tokens are in no record either way.
   */
  readonly data?: Showing['data'];
  /** Hears of a listener that threw, which hears nothing more, and of bugs. Default: standard error. */
  readonly report?: (error: unknown) => void;
}

/** Must not throw. */
export type InspectionListener = (record: InspectionRecord) => void;

export interface Inspector extends NonNullable<RuntimeConfig['inspector']> {
  /**
   * Hears each actor that lives now, parents first, before this returns, and all that happens from then on. Returns the way to stop.
   * The `n` of the actors that live already is that of the last record before them.
   */
  listen(listener: InspectionListener): () => void;
  /** The last records since somebody listens, the oldest first; none when nobody does. */
  recent(): readonly InspectionRecord[];
  /** Whether somebody listens. */
  readonly state: 'off' | 'on';
}

/** An actor system: a session's own, or a turn tree. */
interface System {
  readonly root: AnyActorRef;
  readonly session: string;
  /** The link that a turn tree hangs on. */
  readonly parent: AnyActorRef | null;
  /** The root of the session's own system. */
  readonly top: AnyActorRef;
  observing: Subscription | null;
}

interface Hearing {
  readonly listener: InspectionListener;
  /** The last record that it has heard. */
  heard: number;
}

export function createInspector(options: InspectorOptions): Inspector {
  const { clock, keep = 2_000, data = 'lengths', report = console.error } = options;
  if (!Number.isInteger(keep) || keep < 1) throw new RangeError(`keep must be a whole number from 1, not ${keep}`);
  const showing: Showing = { data };
  const systems = new Set<System>();
  const bySystem = new WeakMap<AnyActorRef['system'], System>();
  const systemOf = (actor: AnyActorRef): System | undefined => bySystem.get(actor.system);
  const hearings = new Set<Hearing>();
  const ring: InspectionRecord[] = [];
  let last = 0;
  /** What the listeners have been told of. */
  let told = new WeakSet<AnyActorRef>();
  /** Events on their way through a link: it passes on the very object that it was sent. */
  let passing = new WeakMap<object, AnyActorRef>();
  let delivery: 'idle' | 'due' = 'idle';

  // -- inside an actor's step

  const complete = (system: System, draft: Draft, n: number) =>
    ({ n, at: clock.now(), session: system.session, root: system.top.sessionId, ...draft }) as InspectionRecord;

  function write(system: System, draft: Draft): void {
    last += 1;
    ring.push(complete(system, draft, last));
    if (ring.length > keep) ring.shift();
    if (delivery === 'due') return;
    delivery = 'due';
    setImmediate(deliver);
  }

  const parentOf = (actor: AnyActorRef, { root, parent }: System): AnyActorRef | null =>
    (actor === root ? parent : actor._parent) ?? null;

  function tell(system: System, actor: AnyActorRef): void {
    if (told.has(actor)) return;
    told.add(actor);
    const parent = parentOf(actor, system);
    if (parent) tell(systemOf(parent) ?? system, parent);
    write(system, actorRecord(actor, parent?.sessionId ?? null, showing));
  }

  function observe(system: System, inspected: InspectionEvent): void {
    if (inspected.type !== '@xstate.event' && inspected.type !== '@xstate.snapshot') return;
    const actor = inspected.actorRef as AnyActorRef;
    const { event } = inspected;
    const own = systemOf(actor) ?? system; // an OUTCOME leaves its system
    tell(own, actor);
    if (inspected.type === '@xstate.snapshot') {
      write(own, stateRecord(actor, event.type, inspected.snapshot, showing));
      return;
    }
    if (actor.src === 'link') passing.set(event, actor);
    const carrier = actor === own.root && passing.get(event) === own.parent ? own.parent : null;
    const from = (inspected.sourceRef as AnyActorRef | undefined) ?? carrier;
    // one that threw tells nothing of its own: its parent hears of it
    if (from && event.type.startsWith('xstate.error.actor.'))
      write(own, stateRecord(from, event.type, from.getSnapshot(), showing));
    write(own, eventRecord(actor, event, from?.sessionId ?? null, showing));
  }

  // -- in a turn of the loop of its own

  function deliver(): void {
    delivery = 'idle';
    const until = last;
    for (const hearing of [...hearings]) {
      while (hearing.heard < until && hearings.has(hearing)) {
        const before = last - ring.length; // records that have left the ring
        hearing.heard = Math.max(hearing.heard, before) + 1;
        const record = ring[hearing.heard - before - 1];
        if (record) hand(hearing, record);
      }
    }
  }

  function hand(hearing: Hearing, record: InspectionRecord): void {
    try {
      hearing.listener(record);
    } catch (error) {
      leave(hearing);
      report(error);
    }
  }

  // -- on and off

  function switchOn(system: System): void {
    system.observing = system.root.system.inspect((inspected) => {
      try {
        observe(system, inspected);
      } catch (error) {
        report(error); // an exception here would put the actor in `error`
      }
    });
  }

  function switchOff(): void {
    for (const system of systems) forgetObserver(system);
    ring.length = 0;
    told = new WeakSet();
    passing = new WeakMap();
  }

  const forgetObserver = (system: System) => {
    system.observing?.unsubscribe();
    system.observing = null;
  };

  function leave(hearing: Hearing): void {
    if (hearings.delete(hearing) && hearings.size === 0) switchOff();
  }

  /** The actors that live below, parents first; a turn tree below its link. */
  function* tree(actor: AnyActorRef, system: System, parent: string | null): Generator<InspectionRecord> {
    told.add(actor);
    yield complete(system, actorRecord(actor, parent, showing), last);
    for (const child of childrenOf(actor)) yield* tree(child, system, actor.sessionId);
    if (actor.src !== 'link') return;
    for (const hung of systems) if (hung.parent === actor) yield* tree(hung.root, hung, actor.sessionId);
  }

  /** Its root is gone; for a session's own, so are the turn trees that nobody waits for any more. */
  function drop(system: System): void {
    const all = system.parent ? [system] : [...systems].filter(({ top }) => top === system.root);
    // the root's last state is still to come
    queueMicrotask(() => {
      for (const each of all) {
        forgetObserver(each);
        systems.delete(each);
      }
    });
  }

  return {
    attach(root, { session, parent }) {
      const top = parent ? (systemOf(parent)?.top ?? root) : root;
      const system: System = { root, session, parent, top, observing: null };
      systems.add(system);
      bySystem.set(root.system, system);
      root.subscribe({
        complete: () => drop(system),
        error() {
          if (system.observing) write(system, stateRecord(root, 'xstate.error', root.getSnapshot(), showing));
          drop(system);
        },
      });
      if (hearings.size === 0) return;
      switchOn(system);
      tell(system, root);
    },

    listen(listener) {
      const hearing: Hearing = { listener, heard: last };
      if (hearings.size === 0) for (const system of systems) switchOn(system);
      hearings.add(hearing);
      const sessions = [...systems].filter(({ parent }) => parent === null);
      const alive = sessions.flatMap((system) => [...tree(system.root, system, null)]);
      for (const record of alive) if (hearings.has(hearing)) hand(hearing, record);
      return () => leave(hearing);
    },

    recent: () => [...ring],

    get state() {
      return hearings.size === 0 ? 'off' : 'on';
    },
  };
}
