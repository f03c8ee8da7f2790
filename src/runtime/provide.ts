// The only place where charts are tied to workers, actions and to each other. Done once: a session is found by its system.
import { type AnyActorLogic, type AnyActorRef, type AnyStateMachine, fromPromise } from 'xstate';
import type { callChild, turnChild } from '../../machines/contracts.ts';
import type { Fact } from '../../machines/facts.ts';
import { sessionMachine } from '../../machines/session.ts';
import { subAgentMachine } from '../../machines/sub-agent.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { append } from '../workers/appending.ts';
import { ask } from '../workers/approving.ts';
import { compact } from '../workers/compacting.ts';
import { detach } from '../workers/detach.ts';
import { model } from '../workers/generating.ts';
import { link } from '../workers/link.ts';
import { node } from '../workers/node.ts';
import { prepare } from '../workers/preparing.ts';
import { acquire } from '../workers/queued.ts';
import { work } from '../workers/running.ts';
import { screen } from '../workers/screening.ts';
import { type Plane, planeOf } from '../workers/services.ts';
import { start } from '../workers/starting.ts';

interface ActionArgs<Context> {
  readonly context: Context;
  readonly system: AnyActorRef['system'];
}

/** An exception in an action would put its machine in `error` and orphan its children: it is told, and goes no further. */
const act =
  <Context, Params>(does: (plane: Plane, context: Context, params: Params) => void) =>
  ({ context, system }: ActionArgs<Context>, params: Params): void => {
    const plane = planeOf(system);
    try {
      does(plane, context, params);
    } catch (error) {
      plane.warn('an action threw', error);
    }
  };

const tell = act((plane, _, facts: readonly Fact[]) => void plane.append(facts));
const stopWork = act((plane, { id }: { readonly id: string }) => plane.tree.abort(id));

/** A logic that is looked up when it is used: a turn is made of sub-agents, which are made of turns. */
function lazily<Logic extends AnyActorLogic>(find: () => Logic): Logic {
  const late: Partial<AnyActorLogic> = {
    transition: (...args) => find().transition(...args),
    getInitialSnapshot: (...args) => find().getInitialSnapshot(...args),
    getPersistedSnapshot: (...args) => find().getPersistedSnapshot(...args),
    start: (...args) => find().start?.(...args),
  };
  return late as Logic;
}

/** A chart behind the contract that its parent knows. */
const behind = <Contract extends AnyActorLogic>(logic: AnyActorLogic) => logic as unknown as Contract;

const toolCall = node(
  toolCallMachine.provide({ actors: { screen, ask, acquire, start, work }, actions: { stopWork } }),
  'tool-call',
);

const subAgent: AnyStateMachine = node(
  subAgentMachine.provide({
    actors: { turn: lazily(() => behind<typeof turnChild>(turn)), screen },
    actions: {
      tell,
      stopWork,
      detach: act((plane, { parentId, depth }, call) => detach(plane, { id: parentId, depth }, call)),
    },
  }),
  'sub-agent',
);

const turn = node(
  turnMachine.provide({
    actors: {
      prepare,
      compact,
      model,
      append,
      tool: behind<typeof callChild>(toolCall),
      sub: behind<typeof callChild>(subAgent),
    },
    actions: { tell, stopWork, detach: act(detach) },
  }),
  'turn',
);

export const sessionLogic = sessionMachine.provide({
  actors: { link: link(turn), recover: fromPromise(({ system }) => planeOf(system).actions.recover()) },
  actions: {
    accept: act((plane, _, { plan, event }) => plane.actions.accept(plan, event)),
    refuse: act((plane, _, { plan, event }) => plane.actions.refuse(plan, event)),
    tellOpened: act((plane, _, event) => plane.actions.opened(event)),
    refuseSay: ({ event, system }, code) => {
      if (event.type === 'SAY') planeOf(system).actions.refuseSay(event, code);
    },
    answer: act((plane, _, event) => plane.actions.answer(event)),
    refuseAnswer: ({ event, system }, code) => {
      if (event.type === 'ANSWER') planeOf(system).actions.refuseAnswer(event, code);
    },
    unwind: act((plane, _, id) => plane.actions.unwind(id)),
  },
});
