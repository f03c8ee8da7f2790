// The bindings of actor systems to sessions: how a worker finds the services of its session, how the inspector finds the actors, and the bulkhead between the
// session and a turn tree, which is an actor system of its own.
import { type AnyActorLogic, type AnyActorRef, createActor, fromCallback } from 'xstate';
import type { CancelCommand, Plan } from '../../../machines/cancel.ts';
import type { LinkInput } from '../../../machines/contracts.ts';
import type { StopBudgets } from '../live/budgets.ts';
import type { InspectedSystem } from './runtime-inspector.ts';
import type { Services, SessionActions, SpeechActions } from './services.ts';

type ActorSystem = AnyActorRef['system'];

/** What an actor system of a session is bound to. */
export interface SystemBinding {
  readonly services: Services;
  readonly actions: SessionActions;
}

const bindings = new WeakMap<ActorSystem, SystemBinding>();

/** Binds the actor system of a session's machine, before it starts. */
export function bindSessionSystem(root: AnyActorRef, services: Services, actions: SessionActions): void {
  bindings.set(root.system, { services, actions });
  attachToInspector(root, services, { parent: null, tree: services.tree });
}

/** Makes the logic of a link to trees of this turn logic. The end of a tree is reported in events. Stopping a link stops nothing: stop is never the cancel path. */
export function linkTo(turn: AnyActorLogic) {
  return fromCallback<{ type: string }, LinkInput>(({ input, sendBack, receive, self, system }) => {
    const root = createActor(turn, { input: { ...input, parentId: null, parent: self } });
    const binding = bindingOf(system);
    bindings.set(root.system, binding);
    attachToInspector(root, binding.services, { parent: self });
    receive((event) => {
      if (event.type === 'OUTCOME') sendBack(event);
      else if (root.getSnapshot().status === 'active') root.send(event);
    });
    root.subscribe({
      complete: () => sendBack({ type: 'TURN_GONE', node: input.id }),
      error: () => {}, // node.ts has reported it; without an observer XState would end the process
    });
    root.start();
  });
}

/** Shows the machine of a session's speech to the inspector of the runtime, below the session's own. */
export function inspectSpeech(root: AnyActorRef, session: AnyActorRef): void {
  const { services } = bindingOf(session.system);
  root.subscribe({ error: (error) => services.runtime.warn('The machine of the speech threw.', error) });
  attachToInspector(root, services, { parent: session });
}

const speechBindings = new WeakMap<ActorSystem, SpeechActions>();

/** Binds the actor system of the machine of a session's speech, before it starts. */
export function bindSpeechSystem(root: AnyActorRef, actions: SpeechActions): void {
  speechBindings.set(root.system, actions);
}

/** The actions of the speech whose machine runs in this actor system. */
export function speechActionsOf(system: ActorSystem): SpeechActions {
  const actions = speechBindings.get(system);
  if (!actions) throw new Error('This actor system is bound to no speech.');
  return actions;
}

function attachToInspector(
  root: AnyActorRef,
  { runtime, session }: Services,
  place: Pick<InspectedSystem, 'parent' | 'tree'>,
): void {
  try {
    runtime.inspector?.attach(root, { session: session.id, ...place });
  } catch (error) {
    runtime.warn('The inspector threw.', error);
  }
}

/** Shows the plan of a CANCEL to the inspector of the runtime, in the tick of its decision. An inspector that throws is reported, and stops nothing. */
export function inspectPlan(
  { runtime, session, tree }: Pick<Services, 'runtime' | 'session' | 'tree'>,
  budgets: StopBudgets,
  plan: Plan,
  { cancel, force }: CancelCommand,
): void {
  try {
    runtime.inspector?.planned?.({
      session: session.id,
      cancel,
      plan,
      budgetOf(id) {
        const entry = tree.get(id);
        return entry && tree.isLeaf(entry) ? budgets.msOf(entry, { force }) : null;
      },
    });
  } catch (error) {
    runtime.warn('The inspector threw.', error);
  }
}

/** Returns the services and the actions of the session that an actor runs in. */
export function bindingOf(system: ActorSystem): SystemBinding {
  const binding = bindings.get(system);
  if (!binding) throw new Error('This actor system is bound to no session.');
  return binding;
}
