// An inspector for tests, with a harness, that counts the observers of actor systems.
import type { AnyActorRef } from 'xstate';
import { createInspector, type Inspector, type InspectorOptions } from '../../src/inspector/inspector.ts';
import type { ActorRecord, EventRecord, InspectionRecord, StateRecord } from '../../src/wire/inspection.ts';
import { type HarnessOptions, startHarness } from '../support/harness.ts';

export interface ObservedInspector extends Inspector {
  /** How many observers hang on actor systems now. */
  readonly observers: number;
  /** The roots that were attached, in order. */
  readonly roots: readonly AnyActorRef[];
}

export function observeInspector(options: InspectorOptions): ObservedInspector {
  const inspector = createInspector(options);
  const roots: AnyActorRef[] = [];
  let observers = 0;
  return {
    listen: (listener) => inspector.listen(listener),
    planned: (cancel) => inspector.planned?.(cancel),
    recent: () => inspector.recent(),
    attachConnections: (connections) => inspector.attachConnections(connections),
    openReader: (options) => inspector.openReader(options),
    get state() {
      return inspector.state;
    },
    attach(given, from) {
      const root = given as AnyActorRef; // a runtime attaches actors of XState
      roots.push(root);
      const { system } = root;
      const { inspect } = system;
      system.inspect = (observer) => {
        observers += 1;
        const { unsubscribe } = inspect(observer);
        return {
          unsubscribe() {
            observers -= 1;
            unsubscribe();
          },
        };
      };
      inspector.attach(root, from);
    },
    get observers() {
      return observers;
    },
    roots,
  };
}

export interface ObservedOptions extends HarnessOptions {
  readonly inspect?: Partial<InspectorOptions>;
}

/** Records have the times of the clock of the harness. */
export async function startObservedHarness({ inspect = {}, ...options }: ObservedOptions = {}) {
  const time = { now: () => 0 };
  const inspector = observeInspector({ clock: { now: () => time.now() }, ...inspect });
  const harness = await startHarness({ ...options, inspector });
  time.now = harness.clock.now;
  return Object.assign(harness, { inspector });
}

export function collectRecords(inspector: Inspector) {
  const records: InspectionRecord[] = [];
  const stop = inspector.listen((record) => records.push(record));
  return {
    records,
    stop,
    actors: (): readonly ActorRecord[] => records.filter((record) => record.type === 'actor'),
    events: (type?: string): readonly EventRecord[] =>
      records.filter(
        (record): record is EventRecord => record.type === 'event' && (type === undefined || record.event === type),
      ),
    states: (): readonly StateRecord[] => records.filter((record) => record.type === 'state'),
    /** A readable name of an actor: its node, or its name below its parent's node. */
    nameOf(id: string | null): string {
      const actor = records.find((record): record is ActorRecord => record.type === 'actor' && record.actor === id);
      if (!actor) return `${id}?`;
      if (actor.node !== null) return `${actor.name} ${actor.node}`;
      return actor.parent === null ? actor.name : `${actor.name} of ${this.nameOf(actor.parent)}`;
    },
  };
}
