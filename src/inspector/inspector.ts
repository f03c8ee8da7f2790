// The inspector: makes records of all actors of a runtime, as one tree, while somebody listens.
//
// The embedder makes it (RuntimeConfig.inspector); the runtime attaches each actor system to it; relay.ts listens.
// 1. An actor system is observed from the first listener until the last one is removed; in between only its root is kept.
// 2. Inside an actor's step only a record is made: see record-stream.ts.
// 3. The record of a parent comes before those of its children, that of an actor before its events.

import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { InspectionRecord } from '../protocol/inspection.ts';
import type { RuntimeConfig } from '../runtime/config.ts';
import type { Clock } from '../sources/sources.ts';
import { printBug } from '../text/print-line.ts';
import { type ActorSystem, ActorSystems, type LocatedActor, stopObserving } from './actor-systems.ts';
import { actorRecord, eventRecord, stateRecord } from './make-records.ts';
import type { Draft } from './record-draft.ts';
import { type InspectionListener, RecordStream } from './record-stream.ts';
import type { Visibility } from './visible-fields.ts';

export type { InspectionListener } from './record-stream.ts';

export interface InspectorOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** How many records are kept while somebody listens, and how far a listener may fall behind. Default: 2 000. */
  readonly keep?: number | undefined;
  /**
   * `lengths` (default): a record has no text that people, models or tools have written, only its length. `texts`: it has the first 1 024
   * characters of each text as well. Tokens are in no record either way.
   */
  readonly data?: Visibility['data'] | undefined;
  /** Takes the exception of a listener, which is removed then, and bugs. Default: standard error. */
  readonly report?: ((error: unknown) => void) | undefined;
}

export interface Inspector extends NonNullable<RuntimeConfig['inspector']> {
  /**
   * Calls the listener for each actor that is alive, parents first, before this returns, then for everything that happens, until the returned
   * function is called. The `n` of the actors that are alive already is that of the last record before them.
   */
  listen(listener: InspectionListener): () => void;
  /** Returns the last records, the oldest first; none while nobody listens. */
  recent(): readonly InspectionRecord[];
  /** Whether somebody listens. */
  readonly state: 'off' | 'on';
}

class RuntimeInspector implements Inspector {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #visibility: Visibility;
  readonly #report: (error: unknown) => void;
  readonly #systems = new ActorSystems();
  readonly #stream: RecordStream;
  /** Actors that have a record. */
  #known = new WeakSet<AnyActorRef>();
  /** Events on their way through a link, which passes on the very object that it receives. */
  #passing = new WeakMap<object, AnyActorRef>();

  constructor({ clock, keep = 2_000, data = 'lengths', report = printBug }: InspectorOptions) {
    if (!Number.isInteger(keep) || keep < 1) throw new RangeError(`keep must be a whole number from 1, not ${keep}`);
    this.#clock = clock;
    this.#visibility = { data };
    this.#report = report;
    this.#stream = new RecordStream({ capacity: keep, onListenerError: report, onUnused: () => this.#switchOff() });
  }

  get state(): 'off' | 'on' {
    return this.#stream.hasSubscribers ? 'on' : 'off';
  }

  recent(): readonly InspectionRecord[] {
    return this.#stream.recent();
  }

  attach(
    root: AnyActorRef,
    { session, parent }: { readonly session: string; readonly parent: AnyActorRef | null },
  ): void {
    const system = this.#systems.add(root, session, parent);
    root.subscribe({
      complete: () => this.#systems.remove(system),
      error: () => {
        if (system.observer) this.#recordState(system, root, 'xstate.error', root.getSnapshot());
        this.#systems.remove(system);
      },
    });
    if (this.state === 'off') return;
    this.#observe(system);
    this.#recordActor(this.#systems.locate(root, system));
  }

  listen(listener: InspectionListener): () => void {
    if (this.state === 'off') for (const system of this.#systems) this.#observe(system);
    const subscriber = this.#stream.subscribe(listener);
    const alive = [...this.#systems.actors()].map(({ actor, system, parent }) => {
      this.#known.add(actor);
      return this.#complete(system, actorRecord(actor, parent, this.#visibility), this.#stream.lastN);
    });
    for (const record of alive) this.#stream.deliverTo(subscriber, record);
    return () => this.#stream.unsubscribe(subscriber);
  }

  // -- on and off

  #observe(system: ActorSystem): void {
    system.observer = system.root.system.inspect((inspected) => {
      try {
        this.#record(system, inspected);
      } catch (error) {
        this.#report(error); // an exception here would put the actor in `error`
      }
    });
  }

  #switchOff(): void {
    for (const system of this.#systems) stopObserving(system);
    this.#known = new WeakSet();
    this.#passing = new WeakMap();
  }

  // -- inside an actor's step

  #record(observed: ActorSystem, inspected: InspectionEvent): void {
    if (inspected.type !== '@xstate.event' && inspected.type !== '@xstate.snapshot') return;
    const { event } = inspected;
    const actor = inspected.actorRef as AnyActorRef; // XState types it as any kind of actor; this one sees them all
    const located = this.#systems.locate(actor, observed); // an OUTCOME leaves its system
    this.#recordActor(located);
    if (inspected.type === '@xstate.snapshot')
      return this.#recordState(located.system, actor, event.type, inspected.snapshot);
    if (actor.src === 'link') this.#passing.set(event, actor);
    const from = (inspected.sourceRef as AnyActorRef | undefined) ?? this.#carrierOf(event, located); // as above
    // an actor that threw has no snapshot event of its own: its parent receives the error
    if (from && event.type.startsWith('xstate.error.actor.'))
      this.#recordState(located.system, from, event.type, from.getSnapshot());
    this.#append(located.system, eventRecord(actor, event, from?.sessionId ?? null, this.#visibility));
  }

  /** The link that has passed an event to the root of its turn tree; null: the event came another way. */
  #carrierOf(event: object, { actor, system }: LocatedActor): AnyActorRef | null {
    return actor === system.root && this.#passing.get(event) === system.parent ? system.parent : null;
  }

  #recordActor({ actor, system, parent }: LocatedActor): void {
    if (this.#known.has(actor)) return;
    this.#known.add(actor);
    if (parent) this.#recordActor(this.#systems.locate(parent, system));
    this.#append(system, actorRecord(actor, parent, this.#visibility));
  }

  #recordState(system: ActorSystem, actor: AnyActorRef, event: string, snapshot: unknown): void {
    this.#append(system, stateRecord(actor, event, snapshot, this.#visibility));
  }

  #append(system: ActorSystem, draft: Draft): void {
    this.#stream.append((n) => this.#complete(system, draft, n));
  }

  #complete({ session, sessionRoot }: ActorSystem, draft: Draft, n: number): InspectionRecord {
    // a draft is a record without these four; the compiler does not see that through the union
    return { n, at: this.#clock.now(), session, root: sessionRoot.sessionId, ...draft } as InspectionRecord;
  }
}

/**
 * Creates an inspector, to be given to a runtime (`createRuntime({ inspector })`).
 *
 * @throws `RangeError` if `keep` is no whole number from 1.
 */
export function createInspector(options: InspectorOptions): Inspector {
  return new RuntimeInspector(options);
}
