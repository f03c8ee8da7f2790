// The wrapper of every chart: its actor is in the live tree from its start until it is gone, and an exception is reported.
import type { ActorLogic, AnyActorRef, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Call } from '../../../machines/contracts.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { startCallTimers } from './call-timers.ts';
import type { Services } from './services.ts';
import { bindingOf } from './session-bindings.ts';

/** The fields that the charts below the session have in their contexts. */
interface NodeContext {
  readonly id: string;
  /** A tool call's, a sub-agent's. */
  readonly parentId?: string;
  /** A turn's. */
  readonly input?: {
    readonly owner: string;
    readonly parentId: string | null;
    readonly agent: string | null;
    readonly acknowledges?: string;
    readonly opensCall?: string;
  };
  /** A tool call's, a sub-agent's. */
  readonly call?: Pick<Call, 'owner' | 'name' | 'agent' | 'timeoutMs'>;
}

type Start = NonNullable<ActorLogic<AnyMachineSnapshot, never>['start']>;

/** Returns the same logic, with its actors in the live tree of the session whose actor system they run in. */
export function node<Logic extends AnyStateMachine>(logic: Logic, kind: NodeEntry['kind']): Logic {
  const start: Start = (snapshot, scope) => {
    const { services } = bindingOf(scope.system);
    const actor = scope.self as unknown as AnyActorRef; // the two differ under exactOptionalPropertyTypes only
    const entry = addNode(snapshot, kind, actor, services);
    actor.subscribe(new NodeObserver(entry, services));
    (logic.start as Start).call(logic, snapshot, scope); // machines always have `start`
  };
  return Object.create(logic, { start: { value: start } });
}

/** The charts above keep these fields in their contexts; XState does not type the context of a chart that it does not know. */
const contextOf = (snapshot: AnyMachineSnapshot) => snapshot.context as NodeContext;

function addNode(
  snapshot: AnyMachineSnapshot,
  kind: NodeEntry['kind'],
  actor: AnyActorRef,
  { tree, runtime, journal }: Pick<Services, 'tree' | 'runtime' | 'journal'>,
): NodeEntry {
  const { id, input, call, parentId } = contextOf(snapshot);
  const owner = input?.owner ?? call?.owner ?? '';
  const parent = input?.parentId ?? parentId ?? null;
  const name = input ? input.agent : (call?.agent?.name ?? call?.name ?? null);
  const { clock } = runtime.sources;
  const since = clock.now();
  const addedAt = clock.elapsed();
  const { acknowledges, opensCall } = input ?? {};
  return tree.add(
    { id, kind, owner, parent, name, since, addedAt, enteredAt: journal.lastSeq, acknowledges, opensCall },
    actor,
  );
}

/** Follows the actor of one node: its observer. */
class NodeObserver {
  readonly #entry: NodeEntry;
  readonly #services: Services;
  #timers: Disposable | null = null;
  /** Whether its machine has handled an event since its cut: the first one is the CANCEL, in the tick of the cut. */
  #hasArrived = false;

  constructor(entry: NodeEntry, services: Services) {
    this.#entry = entry;
    this.#services = services;
  }

  next(state: AnyMachineSnapshot): void {
    const { tree } = this.#services;
    const { id, kind } = this.#entry;
    const value: AnyMachineSnapshot['value'] = state.value;
    this.#entry.phase = typeof value === 'string' ? value : (Object.keys(value)[0] ?? null);
    if (!this.#hasArrived && this.#entry.cut) {
      this.#hasArrived = true;
      tree.notify(this.#entry, 'arrived');
    }
    if (kind === 'sub-agent') this.#startTimers(state);
    if (state.hasTag('fixed')) this.#entry.fix(); // from now on a CANCEL plans only the nodes below it
    if (!state.hasTag('settled')) return;
    this.#timers?.[Symbol.dispose]();
    tree.settle(id);
  }

  complete(): void {
    this.#services.tree.remove(this.#entry.id);
  }

  /** The machine threw: the session unwinds what it left. */
  error(error: unknown): void {
    const { runtime, inbox } = this.#services;
    this.#timers?.[Symbol.dispose]();
    this.#entry.crash();
    runtime.warn(`The machine of ${this.#entry.id} threw.`, error);
    inbox.deliver({ type: 'NODE_CRASHED', node: this.#entry.id });
  }

  /** A sub-agent's timers run from `delegating` on; a tool call's only while its tool runs (workers/running.ts). */
  #startTimers(state: AnyMachineSnapshot): void {
    if (this.#timers || !state.matches('delegating')) return;
    const { runtime } = this.#services;
    const timeoutMs = runtime.timeoutOf(spawnAgent, contextOf(state).call?.timeoutMs);
    this.#timers = startCallTimers(this.#entry, timeoutMs, this.#services);
  }
}
