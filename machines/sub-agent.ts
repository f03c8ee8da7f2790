// The statechart of a sub-agent: it stands where a tool call would, with one child turn, whose outcome becomes its own.
//
// 1. Interceptors see it first, as they see a tool call. A `go` that comes after the cut starts nothing. A detached agent is detached after them.
// 2. A CANCEL is relayed to the child turn, whether the plan stops this node or not: the verdict on a node below may differ.
// 3. It settles when its turn has reported an outcome, or at once when the plan stops it and not the turn.
// 4. It is gone when its turn is gone: an actor cannot be moved to another parent, so a settled one is a caretaker.
import {
  type AnyActorRef,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  enqueueActions,
  sendTo,
  setup,
} from 'xstate';
import {
  type CancelEvent,
  type ChildGoneEvent,
  type EndedLate,
  type OutcomeEvent,
  type OverdueEvent,
  outcomeOf,
  type Plan,
} from './cancel.ts';
import {
  type AgentTask,
  type Call,
  type CallInput,
  type CallWorkInput,
  callWorkers,
  detachedOutcome,
  type PhaseReply,
  turnChild,
} from './contracts.ts';
import type { Fact } from './facts.ts';
import { lateFacts } from './late-facts.ts';
import type { NodeId, Outcome, OutcomeKind } from './vocabulary.ts';

interface SubAgentContext {
  readonly id: NodeId;
  readonly call: Call;
  readonly parentId: NodeId;
  readonly parent: AnyActorRef;
  readonly depth: number;
  readonly children: readonly NodeId[];
  /** Children whose outcome this node waits for. */
  readonly awaited: readonly NodeId[];
  /** How its turn ended; null: not known yet. */
  readonly outcome: Outcome | null;
  /** The outcome that follows from the cause of its cut; null: it was not cut. */
  readonly stopOutcome: OutcomeKind | null;
}

type SubAgentEvent =
  | CancelEvent
  | OverdueEvent
  | DoneActorEvent<PhaseReply, 'screen'>
  | OutcomeEvent
  | ChildGoneEvent
  | DoneActorEvent<unknown, 'turn'>
  | ErrorActorEvent<unknown, string>;

const changedTask = (reply: PhaseReply): AgentTask | undefined => (reply.kind === 'go' ? reply.call?.agent : undefined);

const base = setup({
  types: {
    context: {} as SubAgentContext,
    events: {} as SubAgentEvent,
    input: {} as CallInput,
    tags: {} as 'settled',
  },
  actors: { turn: turnChild, screen: callWorkers.screen },
  guards: {
    /** The plan stops this node. */
    planStopsNode: ({ context, event }) => event.type === 'CANCEL' && event.plan.stop.has(context.id),
    isScreened: ({ context }) => context.call.needs.includes('screening'),
    isGo: (_, reply: PhaseReply) => reply.kind === 'go',
    /** It goes on, and the task, perhaps changed, is a detached one. */
    isDetached: ({ context }, reply: PhaseReply) =>
      reply.kind === 'go' && (changedTask(reply) ?? context.call.agent)?.detached === true,
    allReported: ({ context }) => context.awaited.length === 0,
    hasNoChildren: ({ context }) => context.children.length === 0,
  },
  actions: {
    /** Appends facts to the journal, without waiting for their commit. */
    appendFacts: (_, _facts: readonly Fact[]) => {},
    /** Aborts this node's signal: nothing is started after the cut. */
    stopWork: (_, _params: undefined) => {},
    /** Makes the sub-agent's turn one of its own under the session. */
    detach: (_, _call: Call) => {},
    startTurn: enqueueActions(({ enqueue, context: { id: parentId, call, depth }, self }) => {
      if (!call.agent) return;
      const { turn: id, task: text, name: agent } = call.agent;
      const input = { id, owner: call.owner, parentId, parent: self, depth: depth + 1, text, agent };
      enqueue.spawnChild('turn', { id: 'turn', input });
      enqueue.sendTo('turn', { type: 'ADMIT' });
      enqueue.assign({ children: [id], awaited: [id] });
    }),
    /** Sends the event on to the child turn. */
    relay: enqueueActions(({ enqueue, context, event }) => {
      if (context.children.length > 0) enqueue.sendTo('turn', event);
    }),
    forgetTurn: enqueueActions(({ enqueue }) => {
      enqueue.assign({ children: [] });
      enqueue.stopChild('turn'); // it is gone: this only drops the reference
    }),
    /** Keeps the outcome that follows from the plan. A turn that the plan refuses to stop is not awaited. */
    recordStop: assign(({ context: { id, stopOutcome, awaited } }, { stop }: Plan) => {
      const cause = stop.get(id);
      return {
        stopOutcome: cause ? outcomeOf(cause) : stopOutcome,
        awaited: awaited.filter((child) => stop.has(child)),
      };
    }),
    /** Awaits the turn that an earlier plan refused to stop and this one stops. */
    awaitNewlyStopped: assign(({ context: { children, awaited } }, { stop }: Plan) => ({
      awaited: children.filter((id) => awaited.includes(id) || stop.has(id)),
    })),
    /** Takes the task as an interceptor has changed it. The id of its turn stays. */
    changeTask: assign(({ context: { call } }, reply: PhaseReply) => {
      const task = changedTask(reply);
      return task && call.agent ? { call: { ...call, agent: { ...task, turn: call.agent.turn } } } : {};
    }),
    keepOutcome: assign((_, outcome: PhaseReply | EndedLate) =>
      outcome.kind === 'go' || outcome.kind === 'ended_late' ? {} : { outcome, awaited: [] },
    ),
    keepDetached: assign(({ context: { call } }) => (call.agent ? { outcome: detachedOutcome(call.agent) } : {})),
    keepNotStarted: assign(({ context }) => ({
      outcome: { kind: context.stopOutcome ?? 'cancelled', effect: 'not_started' } satisfies Outcome,
    })),
    reportOutcome: sendTo(
      ({ context }) => context.parent,
      ({ context }, outcome: Outcome | EndedLate) => ({ type: 'OUTCOME', node: context.id, outcome }),
    ),
  },
});

const planIn = ({ event }: { readonly event: CancelEvent }): Plan => event.plan;
const replyOf = ({ event }: { readonly event: { readonly output: PhaseReply } }): PhaseReply => event.output;
const reportedOutcome = ({ event }: { readonly event: OutcomeEvent }): OutcomeEvent['outcome'] => event.outcome;

export const subAgentMachine = base.createMachine({
  id: 'sub-agent',
  meta: {
    STEER: 'not applicable: the turn below it works for a call, not for the words of a speaker',
    BARGE_IN: 'not applicable: sound stops speech (machines/speech.ts), and no agent',
  },
  context: ({ input }) => ({
    ...input,
    id: input.call.id,
    children: [],
    awaited: [],
    outcome: null,
    stopOutcome: null,
  }),
  initial: 'arriving',
  on: {
    // The runtime stops what a turn that threw has left, then sends CHILD_GONE. Without this row XState would stop this actor as well.
    'xstate.error.actor.*': { actions: [] },
    'xstate.done.actor.turn': { actions: 'forgetTurn' },
    CHILD_GONE: { actions: 'forgetTurn' },
  },
  states: {
    arriving: {
      meta: { CANCEL: 'never rests here: it is screened or at work in the same tick' },
      always: [{ guard: 'isScreened', target: 'screening' }, { target: 'delegating' }],
    },
    screening: {
      invoke: {
        id: 'screen',
        src: 'screen',
        input: ({ context: { id, call, parentId: turn, depth } }): CallWorkInput => ({ id, call, turn, depth }),
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: { guard: 'planStopsNode', target: 'interrupted', actions: { type: 'recordStop', params: planIn } },
            'xstate.done.actor.screen': [
              {
                guard: { type: 'isDetached', params: replyOf },
                target: '#sub-agent.settled',
                actions: [
                  { type: 'changeTask', params: replyOf },
                  { type: 'detach', params: ({ context }) => context.call },
                  'keepDetached',
                ],
              },
              {
                guard: { type: 'isGo', params: replyOf },
                target: '#sub-agent.delegating',
                actions: { type: 'changeTask', params: replyOf },
              },
              { target: '#sub-agent.settled', actions: { type: 'keepOutcome', params: replyOf } },
            ],
          },
        },
        interrupted: {
          meta: { CANCEL: 'is being stopped already: the first cause is kept' },
          entry: 'stopWork',
          on: {
            OVERDUE: 'abandoned',
            'xstate.done.actor.screen': [
              { guard: { type: 'isGo', params: replyOf }, target: '#sub-agent.settled', actions: 'keepNotStarted' },
              { target: '#sub-agent.settled', actions: { type: 'keepOutcome', params: replyOf } },
            ],
          },
        },
        abandoned: {
          tags: 'settled',
          meta: { CANCEL: 'already settled as abandoned; its signal has been aborted' },
          entry: { type: 'reportOutcome', params: { kind: 'abandoned', effect: 'not_started' } },
          on: {
            'xstate.done.actor.screen': {
              target: '#sub-agent.gone',
              actions: { type: 'reportOutcome', params: { kind: 'ended_late' } },
            },
          },
        },
      },
    },
    delegating: {
      entry: 'startTurn',
      initial: 'active',
      onDone: 'settled',
      states: {
        active: {
          on: {
            CANCEL: [
              {
                guard: 'planStopsNode',
                target: 'interrupted',
                actions: ['relay', { type: 'recordStop', params: planIn }],
              },
              { actions: 'relay' },
            ],
            OUTCOME: { target: 'reported', actions: { type: 'keepOutcome', params: reportedOutcome } },
          },
        },
        interrupted: {
          meta: { CANCEL: 'is being stopped already: the first cause is kept; relayed to the turn' },
          always: { guard: 'allReported', target: 'reported' },
          on: {
            CANCEL: { actions: ['relay', { type: 'awaitNewlyStopped', params: planIn }] },
            OUTCOME: { target: 'reported', actions: { type: 'keepOutcome', params: reportedOutcome } },
          },
        },
        reported: { type: 'final' }, // of the phase: its onDone settles
      },
    },
    settled: {
      tags: 'settled',
      meta: { CANCEL: 'already settled; relayed to the turn that runs on' },
      always: { guard: 'hasNoChildren', target: 'gone' },
      entry: {
        type: 'reportOutcome',
        params: ({ context: { outcome, stopOutcome } }) =>
          outcome ?? { kind: stopOutcome ?? 'cancelled', effect: 'unknown' },
      },
      on: {
        CANCEL: { actions: 'relay' },
        OUTCOME: { actions: { type: 'appendFacts', params: ({ event }) => lateFacts(event) } },
      },
    },
    gone: { type: 'final' },
  },
});
