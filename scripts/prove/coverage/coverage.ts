// Records the cells that a run visits: in which phases the machines are when something comes. It sees each event before its machine does.
//
// 1. A CANCEL visits the phases of the nodes that it stops, and of the settled ones below its target; also those of session, speech, connections and responses of a speech model.
// 2. Any other event visits the phases of all machines that are there.
import type { SessionCancelEvent, SessionEvent } from '../../../machines/session-events.ts';
import type { InspectResponse, RealtimeResponse } from '../../../src/adapters/models/realtime/realtime-response.ts';
import type { NodeEntry } from '../../../src/core/live/node-entry.ts';
import type { InspectedActor, InspectedSystem } from '../../../src/core/workers/runtime-inspector.ts';
import type { InspectedConnections, InspectionSource } from '../../../src/wire/inspection-source.ts';
import { type CellEvent, cellOf } from './cells.ts';

/** An actor of XState, as far as this reads it. */
interface Machine {
  readonly logic?: { readonly id?: string };
  getSnapshot(): { readonly value?: unknown };
  send(event: { readonly type: string }): void;
}

/** A node that was stopped, and the phase in which it was then. */
export interface StoppedIn {
  readonly node: string;
  readonly phase: string;
}

/** A machine in a phase. */
export interface Place {
  readonly phase: string;
  /** The node of the machine; null: it has none. */
  readonly node: string | null;
}

function pathIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}.${pathIn(inner)}`)
    .join('+');
}

const phaseOf = (kind: string, machine: Machine): string => `${kind} ${pathIn(machine.getSnapshot().value)}`;

/** The machine of a node; null: it has none, as a call that the provider runs. */
function machineOf({ actor }: NodeEntry): Machine | null {
  const machine = actor as Machine | Pick<Machine, 'send'> | null; // the actors of nodes are those of XState, but for such calls
  return machine && 'getSnapshot' in machine ? machine : null;
}

export class Coverage {
  readonly cells = new Set<string>();
  readonly stopped: StoppedIn[] = [];
  #session: Machine | null = null;
  #speech: Machine | null = null;
  #connections: InspectedConnections | null = null;
  readonly #responses = new Set<RealtimeResponse>();
  #tree: { entries(): readonly NodeEntry[] } | null = null;
  readonly #seen = new WeakSet<object>();
  readonly #restedCuts = new WeakSet<NodeEntry>();

  /** The live nodes. */
  entries(): readonly NodeEntry[] {
    return this.#tree?.entries() ?? [];
  }

  /** Follows the actor systems of a runtime. */
  attach(root: InspectedActor, { tree }: InspectedSystem): void {
    const machine = root as unknown as Machine; // the inspector shows actors without their type
    if (tree) {
      this.#tree = tree as unknown as { entries(): readonly NodeEntry[] }; // it is the live tree
      this.#session = machine;
      this.#follow(machine, (event) => {
        if (machine === this.#session) this.#onSessionEvent(event as SessionEvent); // it receives no others
      });
    } else if (machine.logic?.id === 'speech') {
      this.#speech = machine;
      this.#follow(machine, ({ type }) => {
        if (machine === this.#speech && type === 'BARGE_IN') this.visit('BARGE_IN');
      });
    }
  }

  /** Follows the connections of a gateway. */
  readonly connections: InspectionSource = {
    attachConnections: (connections) => {
      this.#connections = connections;
    },
    openReader: () => Promise.reject(new Error('There are no records.')),
  };

  /** Follows the responses of a speech model. */
  readonly followResponse: InspectResponse = (response, event) => {
    this.#responses.add(response);
    if (event?.type === 'OVERDUE') this.visit('OVERDUE');
  };

  /** Follows the machines of the nodes that are there now. */
  followNodes(): void {
    for (const entry of this.entries()) {
      const machine = machineOf(entry);
      if (machine) this.#follow(machine, this.#onNodeEvent);
    }
  }

  readonly #onNodeEvent = ({ type }: { readonly type: string }) => {
    if (type === 'OVERDUE') this.visit('OVERDUE');
  };

  /** The nodes that have machines, each with its phase. */
  #nodesNow(): readonly (readonly [phase: string, entry: NodeEntry])[] {
    this.followNodes();
    return this.entries().flatMap((entry) => {
      const machine = machineOf(entry);
      return machine ? [[phaseOf(entry.kind, machine), entry] as const] : [];
    });
  }

  /** The host dies, with all machines. */
  onCrash(): void {
    this.visit('crash');
    this.#session = null;
    this.#speech = null;
    this.#connections = null;
    this.#responses.clear();
    this.#tree = null;
  }

  /** An event comes that is no CANCEL. */
  visit(event: CellEvent): void {
    this.#add([...this.#nodesNow().map(([phase]) => phase), ...this.#othersNow()], event);
  }

  /** Whether the node was cut before the step of now. */
  hasRestedCut(entry: NodeEntry): boolean {
    return this.#restedCuts.has(entry);
  }

  /** The phases of all machines between two steps, each with its node. */
  placesNow(): readonly Place[] {
    for (const entry of this.entries()) if (entry.state.kind === 'cut') this.#restedCuts.add(entry);
    const nodes = this.#nodesNow().map(([phase, { id }]) => ({ phase, node: id }));
    return [...nodes, ...this.#othersNow().map((phase) => ({ phase, node: null }))];
  }

  #add(phases: readonly string[], event: CellEvent): void {
    for (const phase of phases) this.cells.add(cellOf(phase, event));
  }

  /** The phases of session, speech, connections and responses. */
  #othersNow(): readonly string[] {
    const connections = this.#connections?.list() ?? [];
    for (const response of this.#responses) if (response.isOver) this.#responses.delete(response);
    return [
      ...(this.#session ? [phaseOf('session', this.#session)] : []),
      ...(this.#speech ? [phaseOf('speech', this.#speech)] : []),
      ...connections.map((actor) => phaseOf('connection', actor as unknown as Machine)), // for the same reason
      ...[...this.#responses].map(({ phase }) => `response ${phase}`),
    ];
  }

  #follow(machine: Machine, onEvent: (event: { readonly type: string }) => void): void {
    if (this.#seen.has(machine)) return;
    this.#seen.add(machine);
    const send = machine.send.bind(machine);
    machine.send = (event) => {
      onEvent(event);
      send(event);
    };
  }

  #onSessionEvent(event: SessionEvent): void {
    if (event.type === 'STEER') this.visit('STEER');
    if (event.type === 'CANCEL') this.#onCancel(event);
    const isOpen = this.#session?.getSnapshot().value === 'open'; // a session that closes refuses words
    if ((event.type === 'SAY' || event.type === 'STEER') && event.stop && isOpen) this.#onCancel(event.stop);
  }

  #onCancel({ command, judgment }: SessionCancelEvent): void {
    const { source, target, by } = command;
    const { stop, deferred } = judgment.plan;
    const nodes = this.#nodesNow();
    const byId = new Map(nodes.map(([, entry]) => [entry.id, entry]));
    const isBelow = (entry: NodeEntry | undefined): boolean => {
      if (!entry) return false;
      const isIt = target === 'session' || entry.id === target || (target === 'mine' && entry.owner === by?.id);
      return isIt || isBelow(byId.get(entry.parent ?? ''));
    };
    const isReached = (entry: NodeEntry) => {
      const isOver = entry.state.kind === 'fixed' || entry.state.kind === 'settled';
      return stop.has(entry.id) || deferred.has(entry.id) || (isOver && isBelow(entry));
    };
    const reached = nodes.filter(([, entry]) => isReached(entry));
    this.#add([...reached.map(([phase]) => phase), ...this.#othersNow()], source);
    for (const [phase, { id, firstCause }] of reached)
      if (stop.has(id) && firstCause === null) this.stopped.push({ node: id, phase });
  }
}
