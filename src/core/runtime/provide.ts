// The only place where charts are bound to workers, to actions and to each other. Done once: actors find their session by their system.
import { type AnyActorLogic, type AnyActorRef, type AnyStateMachine, fromPromise } from 'xstate';
import type { callChild, turnChild } from '../../../machines/contracts.ts';
import type { Fact } from '../../../machines/facts.ts';
import { sessionMachine } from '../../../machines/session.ts';
import { speechMachine } from '../../../machines/speech.ts';
import { subAgentMachine } from '../../../machines/sub-agent.ts';
import { toolCallMachine } from '../../../machines/tool-call.ts';
import { turnMachine } from '../../../machines/turn.ts';
import { append } from '../workers/appending.ts';
import { ask } from '../workers/approving.ts';
import { compact } from '../workers/compacting.ts';
import { detachAgent } from '../workers/detach.ts';
import { generate } from '../workers/generating.ts';
import { node } from '../workers/node.ts';
import { prepare } from '../workers/preparing.ts';
import { acquire } from '../workers/queued.ts';
import { work } from '../workers/running.ts';
import { screen } from '../workers/screening.ts';
import type { Services, SessionActions, SpeechActions } from '../workers/services.ts';
import { bindingOf, linkTo, speechActionsOf } from '../workers/session-bindings.ts';
import { start } from '../workers/starting.ts';

interface ActionArgs<Context> {
  readonly context: Context;
  readonly system: AnyActorRef['system'];
}

/** Runs an action. An exception is reported: it would put the machine in `error` and orphan its children. */
function guarded(system: AnyActorRef['system'], act: () => void): void {
  try {
    act();
  } catch (error) {
    bindingOf(system).services.runtime.warn('An action threw.', error);
  }
}

const action =
  <Context, Params>(act: (services: Services, context: Context, params: Params) => void) =>
  ({ context, system }: ActionArgs<Context>, params: Params): void =>
    guarded(system, () => act(bindingOf(system).services, context, params));

const sessionAction =
  <Params>(act: (actions: SessionActions, params: Params) => void) =>
  ({ system }: ActionArgs<unknown>, params: Params): void =>
    guarded(system, () => act(bindingOf(system).actions, params));

const appendFacts = action(({ journal }, _, facts: readonly Fact[]) => void journal.append(facts));
const stopWork = action(({ tree }, { id }: { readonly id: string }) => tree.abort(id));

/** A logic that is looked up when it is used: a turn contains sub-agents, which contain turns. */
function lazily<Logic extends AnyActorLogic>(find: () => Logic): Logic {
  const logic: Partial<AnyActorLogic> = {
    transition: (...args) => find().transition(...args),
    getInitialSnapshot: (...args) => find().getInitialSnapshot(...args),
    getPersistedSnapshot: (...args) => find().getPersistedSnapshot(...args),
    start: (...args) => find().start?.(...args),
  };
  return logic as Logic; // these four are what XState uses of a logic
}

/** Gives a chart the type of the contract that its parent knows: XState would compare the types of their events and snapshots. */
const asContract = <Contract extends AnyActorLogic>(logic: AnyActorLogic) => logic as unknown as Contract;

const toolCall = node(
  toolCallMachine.provide({ actors: { screen, ask, acquire, start, work }, actions: { stopWork } }),
  'tool-call',
);

const subAgent: AnyStateMachine = node(
  subAgentMachine.provide({
    actors: { turn: lazily(() => asContract<typeof turnChild>(turn)), screen },
    actions: {
      appendFacts,
      stopWork,
      detach: action((services, { parentId, depth }, call) => detachAgent(services, { id: parentId, depth }, call)),
    },
  }),
  'sub-agent',
);

const turn = node(
  turnMachine.provide({
    actors: {
      prepare,
      compact,
      model: generate,
      append,
      tool: asContract<typeof callChild>(toolCall),
      sub: asContract<typeof callChild>(subAgent),
    },
    actions: {
      appendFacts,
      stopWork,
      detach: action((services, { input }, call) => detachAgent(services, input, call)),
    },
  }),
  'turn',
);

/** The session's chart with its workers and actions. */
export const sessionLogic = sessionMachine.provide({
  actors: { link: linkTo(turn), recover: fromPromise(({ system }) => bindingOf(system).actions.recover()) },
  actions: {
    accept: sessionAction(({ cancels }, decided) => cancels.accept(decided)),
    refuse: sessionAction(({ cancels }, decided) => cancels.refuse(decided)),
    stopDeferred: sessionAction(({ cancels }, plan) => cancels.stopDeferred(plan)),
    acceptPhrase: sessionAction(({ cancels }, phrase) => phrase && cancels.acceptPhrase(phrase)),
    recordPhrase: sessionAction(({ cancels }, phrase) => phrase && cancels.recordPhrase(phrase)),
    confirmSay: sessionAction((actions, event) => actions.confirmSay(event)),
    confirmCall: sessionAction((actions, event) => actions.confirmCall(event)),
    refuseCall: sessionAction((actions, event) => actions.refuseCall(event)),
    confirmInput: sessionAction((actions, input) => actions.confirmInput(input)),
    queueInput: sessionAction((actions, input) => actions.queueInput(input)),
    openAcknowledgement: sessionAction((actions, event) => actions.openAcknowledgement(event)),
    refuseSay: sessionAction((actions, { code, event }) => actions.refuseSay(event, code)),
    closeQuestion: sessionAction((actions, event) => actions.closeQuestion(event)),
    refuseAnswer: sessionAction((actions, { code, event }) => actions.refuseAnswer(event, code)),
    unwindCrash: sessionAction((actions, node) => actions.unwindCrash(node)),
  },
});

/** The actions of speech send notices and append facts: neither throws. */
const speechAction =
  <Params>(act: (actions: SpeechActions, params: Params) => void) =>
  ({ system }: ActionArgs<unknown>, params: Params): void =>
    act(speechActionsOf(system), params);

/** The chart of the bot's speech with its actions. */
export const speechLogic = speechMachine.provide({
  actions: {
    pauseSpeech: speechAction((actions, event) => actions.pauseSpeech(event)),
    refuseBargeIn: speechAction((actions, { event, result }) => actions.refuseBargeIn(event, result)),
    armResume: speechAction((actions) => actions.armResume()),
    disarmResume: speechAction((actions) => actions.disarmResume()),
    resumeSpeech: speechAction((actions, turn) => actions.resumeSpeech(turn)),
    cutSpeech: speechAction((actions, end) => actions.cutSpeech(end)),
    stopSpeech: speechAction((actions, end) => actions.stopSpeech(end)),
  },
});
