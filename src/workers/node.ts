// The wrapper of every chart: its actor is in the live tree from its start until it is gone, and a throw is told.

import type { ActorLogic, AnyActorRef, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Call } from '../../machines/contracts.ts';
import type { Entry } from '../live/tree.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { startTimers } from './call-timers.ts';
import { planeOf } from './services.ts';

/** What the charts below the session have in their contexts. */
interface NodeContext {
  readonly id: string;
  readonly parentId: string | null;
  /** A turn's. */
  readonly owner?: string;
  readonly agent?: string | null;
  /** A tool call's, a sub-agent's. */
  readonly call?: Pick<Call, 'owner' | 'name' | 'agent' | 'timeoutMs'>;
}

type Start = NonNullable<ActorLogic<AnyMachineSnapshot, never>['start']>;

/** The same logic, with its actors in the live tree of the session whose system they run in. */
export function node<Logic extends AnyStateMachine>(logic: Logic, kind: Entry['kind']): Logic {
  const start: Start = (snapshot, scope) => {
    const plane = planeOf(scope.system);
    const { tree } = plane;
    const {
      id,
      parentId: parent,
      call,
      owner = call?.owner ?? '',
      agent = call?.agent?.name ?? call?.name ?? null,
    } = snapshot.context as NodeContext;
    const actor = scope.self as unknown as AnyActorRef;
    const since = plane.sources.clock.now();
    const entry = tree.enter({ id, kind, owner, parent, name: agent, since }, actor);
    let endTimers: (() => void) | null = null;
    // as those of a tool call run only while its tool does: see work.ts
    const time = (state: AnyMachineSnapshot) => {
      if (kind !== 'sub-agent' || endTimers || !state.matches('delegating')) return;
      endTimers = startTimers(
        entry,
        (state.context as NodeContext).call?.timeoutMs ?? plane.timeoutOf(spawnAgent),
        plane,
      );
    };
    actor.subscribe({
      next: (state: AnyMachineSnapshot) => {
        time(state);
        if (state.hasTag('fixed')) tree.fix(id);
        if (!state.hasTag('settled')) return;
        endTimers?.();
        tree.settle(id);
      },
      complete: () => tree.leave(id),
      error: (error: unknown) => {
        endTimers?.();
        entry.thrown = true;
        plane.warn(`the machine of ${id} threw`, error);
        plane.deliver({ type: 'NODE_CRASHED', node: id });
      },
    });
    (logic.start as Start).call(logic, snapshot, scope);
  };
  return Object.create(logic, { start: { value: start } });
}
