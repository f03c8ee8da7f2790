// The inspector: makes records of all actors of a runtime and of its gateway's connections, while somebody reads them.
//
// The embedder makes it (RuntimeConfig.inspector); the runtime attaches each actor system to it; a gateway and relay.ts read.
// 1. An actor system is observed from the first reader until the last one is removed; in between only its root is kept.
// 2. Inside an actor's step only a record is made: see record-stream.ts.
// 3. The record of a parent comes before those of its children, that of an actor before its events.

import type { AnyActorRef, AnyEventObject, InspectionEvent } from 'xstate';
import type { RuntimeConfig } from '../core/runtime/config.ts';
import type { Clock } from '../core/sources/sources.ts';
import { printBug } from '../core/text/print-line.ts';
import type { InspectedActor, InspectedSystem, PlannedCancel } from '../core/workers/runtime-inspector.ts';
import type { InspectionRecord } from '../wire/inspection.ts';
import type {
  InspectedConnections,
  InspectionReader,
  InspectionSource,
  ReaderOptions,
} from '../wire/inspection-source.ts';
import { type ActorSystem, ActorSystems, type LocatedActor, stopObserving } from './actor-systems.ts';
import type { RecordScope } from './connection-scopes.ts';
import { actorRecord, eventRecord, stateRecord } from './make-records.ts';
import type { ActorDraft, RecordDraft, StateDraft } from './record-draft.ts';
import type { KeptRecord } from './record-filter.ts';
import { type InspectionListener, RecordListener } from './record-listener.ts';
import { RecordStream } from './record-stream.ts';
import { StreamReader } from './stream-reader.ts';
import type { Visibility } from './visible-fields.ts';

export type { InspectionListener } from './record-listener.ts';

export interface InspectorOptions {
  /** The clock. One without `after` lets observation end with the last reader. */
  readonly clock: Pick<Clock, 'now'> & Partial<Pick<Clock, 'after'>>;
  /** How many records are kept while somebody listens, and how far a listener may fall behind. Default: 2 000. */
  readonly keep?: number | undefined;
  /** How long observation goes on after the last reader of a gateway was closed, in milliseconds: a page that is loaded again finds the records. Default: 60 000. */
  readonly lingerMs?: number | undefined;
  /**
   * `lengths` (default): a record has no text that people, models or tools have written, only its length. `texts`: it has the first 1 024
   * characters of each text as well. Tokens are in no record either way.
   */
  readonly data?: Visibility['data'] | undefined;
  /** Takes the exception of a listener, which is removed then, and bugs. Default: standard error. */
  readonly report?: ((error: unknown) => void) | undefined;
}

export interface Inspector extends NonNullable<RuntimeConfig['inspector']>, InspectionSource {
  /**
   * Calls the listener for each actor that is alive, parents first, before this returns, then for everything that happens, until the returned
   * function is called. The `n` of the actors that are alive already is that of the last record before them.
   */
  listen(listener: InspectionListener): () => void;
  /** Returns the last records, the oldest first; none while nobody listens. */
  recent(): readonly InspectionRecord[];
  /** Whether somebody listens or reads, or did until a short time ago. */
  readonly state: 'off' | 'on';
}

class RuntimeInspector implements Inspector {
  /** Tells readers that come back whether their records are from this inspector. */
  readonly #id: string;
  readonly #clock: InspectorOptions['clock'];
  readonly #lingerMs: number;
  readonly #visibility: Visibility;
  readonly #report: (error: unknown) => void;
  readonly #systems = new ActorSystems();
  readonly #stream: RecordStream;
  /** Actors that have a record. */
  #known = new WeakMap<AnyActorRef, RecordScope>();
  /** Events on their way through a link, which passes on the very object that it receives. */
  #passing = new WeakMap<object, AnyActorRef>();
  /** Ends the time for which observation goes on. */
  #endLinger = () => {};

  constructor({ clock, keep = 2_000, lingerMs = 60_000, data = 'lengths', report = printBug }: InspectorOptions) {
    if (!Number.isInteger(keep) || keep < 1) throw new RangeError(`keep must be a whole number from 1, not ${keep}`);
    this.#clock = clock;
    this.#id = `${clock.now()}`;
    this.#lingerMs = lingerMs;
    this.#visibility = { data };
    this.#report = report;
    this.#stream = new RecordStream({ capacity: keep, onUnused: () => this.#switchOff() });
  }

  get state(): 'off' | 'on' {
    return this.#stream.isUsed ? 'on' : 'off';
  }

  recent(): readonly InspectionRecord[] {
    return this.#stream.recent();
  }

  attach(given: InspectedActor, from: InspectedSystem): void {
    const root = given as AnyActorRef; // a runtime attaches actors of XState
    const system = this.#systems.add(root, from, (scope, draft) => this.#append(scope, draft));
    root.subscribe({
      complete: () => this.#systems.remove(system),
      error: () => {
        if (system.observer) this.#recordState(system, root, { type: 'xstate.error' }, root.getSnapshot());
        this.#systems.remove(system);
      },
    });
    if (this.state === 'off') return;
    this.#observe(system);
    this.#recordActor(this.#systems.locate(root, system));
  }

  planned(cancel: PlannedCancel): void {
    const system = this.#systems.ofSession(cancel.session);
    if (system?.observer) system.nodes?.addPlan(cancel);
  }

  attachConnections(connections: InspectedConnections): void {
    const system = this.#systems.addConnections(connections);
    if (this.state === 'on') this.#observe(system);
  }

  listen(listener: InspectionListener): () => void {
    this.#switchOn();
    const listening = new RecordListener(this.#stream, listener, this.#report);
    this.#stream.open(listening);
    for (const { record } of this.#listAlive()) listening.deliver(record);
    return () => this.#stream.close(listening);
  }

  async openReader(options: ReaderOptions): Promise<InspectionReader> {
    this.#switchOn();
    const reader = new StreamReader({
      ...options,
      stream: this.#stream,
      start: { inspector: this.#id, at: this.#clock.now() },
      listAlive: () => this.#listAlive(),
      onClose: () => this.#linger(),
    });
    this.#endLinger();
    return reader;
  }

  // -- on and off

  #switchOn(): void {
    if (this.state === 'off') for (const system of this.#systems) this.#observe(system);
  }

  #observe(system: ActorSystem): void {
    system.nodes?.start();
    system.observer = system.root.system.inspect((inspected) => {
      try {
        this.#record(system, inspected);
      } catch (error) {
        this.#report(error); // an exception here would put the actor in `error`
      }
    });
  }

  #linger(): void {
    this.#endLinger();
    if (!this.#clock.after) return;
    const release = this.#stream.hold();
    const disarm = this.#clock.after(this.#lingerMs, release);
    this.#endLinger = () => {
      disarm();
      release();
    };
  }

  #switchOff(): void {
    for (const system of this.#systems) stopObserving(system);
    this.#known = new WeakMap();
    this.#passing = new WeakMap();
  }

  /** Returns a record for each actor that is alive. */
  #listAlive(): readonly KeptRecord[] {
    const records: KeptRecord[] = [];
    for (const located of this.#systems.actors()) {
      const { actor, system, parent } = located;
      const scope = scopeOf(system, actor);
      this.#known.set(actor, scope);
      const draft = withConnection(located, actorRecord(actor, parent, this.#visibility));
      records.push(this.#complete(scope, draft, this.#stream.lastN));
    }
    return records;
  }

  // -- inside an actor's step

  #record(observed: ActorSystem, inspected: InspectionEvent): void {
    if (inspected.type !== '@xstate.event' && inspected.type !== '@xstate.snapshot') return;
    const { event } = inspected;
    const actor = inspected.actorRef as AnyActorRef; // XState types it as any kind of actor; this one sees them all
    const located = this.#systems.locate(actor, observed); // an OUTCOME leaves its system
    const isHidden = located.system.connections !== null && actor === located.system.root;
    if (!isHidden) this.#recordActor(located);
    if (inspected.type === '@xstate.snapshot')
      return isHidden ? undefined : this.#recordState(located.system, actor, event, inspected.snapshot);
    if (event.type === 'OUTCOME')
      this.#systems.ofSession(located.system.scope?.session ?? '')?.nodes?.noteOutcome(event);
    if (actor.src === 'link') this.#passing.set(event, actor);
    const from = (inspected.sourceRef as AnyActorRef | undefined) ?? this.#carrierOf(event, located); // as above
    // an actor that threw has no snapshot event of its own: its parent receives the error
    if (from && event.type.startsWith('xstate.error.actor.'))
      this.#recordState(located.system, from, event, from.getSnapshot());
    if (isHidden) return;
    const draft = eventRecord(actor, event, from?.sessionId ?? null, this.#visibility);
    this.#append(scopeOfEvent(located.system, actor, event), draft);
  }

  /** The link that has passed an event to the root of its turn tree; null: the event came another way. */
  #carrierOf(event: object, { actor, system }: LocatedActor): AnyActorRef | null {
    return actor === system.root && this.#passing.get(event) === system.parent ? system.parent : null;
  }

  /** Again when a connection has joined a session: whoever reads that has not seen it yet. */
  #recordActor(located: LocatedActor): void {
    const { actor, system, parent } = located;
    const scope = scopeOf(system, actor);
    if (this.#known.get(actor) === scope) return;
    this.#known.set(actor, scope);
    if (parent) this.#recordActor(this.#systems.locate(parent, system));
    this.#append(scope, withConnection(located, actorRecord(actor, parent, this.#visibility)));
  }

  #recordState(system: ActorSystem, actor: AnyActorRef, event: AnyEventObject, snapshot: unknown): void {
    const draft = stateRecord(actor, event.type, snapshot, this.#visibility);
    this.#append(scopeOfEvent(system, actor, event), withConnection({ system, actor }, draft));
  }

  #append(scope: RecordScope, draft: RecordDraft): void {
    this.#stream.append((n) => this.#complete(scope, draft, n));
  }

  #complete({ session, root, sessions }: RecordScope, draft: RecordDraft, n: number): KeptRecord {
    // a draft is a record without these four; the compiler does not see that through the union
    const record = { n, at: this.#clock.now(), session, root, ...draft } as InspectionRecord;
    return { record, sessions };
  }
}

const scopeOf = (system: ActorSystem, actor: AnyActorRef): RecordScope =>
  system.scope ?? system.connections?.scopeOf(actor) ?? nowhere;

const scopeOfEvent = (system: ActorSystem, actor: AnyActorRef, event: AnyEventObject): RecordScope =>
  system.connections?.scopeOfEvent(actor, event) ?? scopeOf(system, actor);

/** Adds to the state of a connection whose it is, and what it has joined. */
function withConnection<D extends ActorDraft | StateDraft>(
  { system, actor }: Pick<LocatedActor, 'system' | 'actor'>,
  draft: D,
): D {
  if (!system.connections || actor._parent !== system.root) return draft;
  return { ...draft, context: { ...draft.context, ...system.connections.fieldsOf(actor) } };
}

const nowhere: RecordScope = { session: '', root: '', sessions: [] };

/**
 * Creates an inspector, to be given to a runtime (`createRuntime({ inspector })`).
 *
 * @throws `RangeError` if `keep` is no whole number from 1.
 */
export function createInspector(options: InspectorOptions): Inspector {
  return new RuntimeInspector(options);
}
