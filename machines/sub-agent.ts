// A sub-agent: stands where a tool call would, with one child turn, whose outcome becomes its own.
//
// 0. Interceptors are asked first, as for a tool; a `go` that crosses the cut leads nowhere. A detached agent is let go of behind them.
// 1. A CANCEL is relayed to the child turn, whether this node obeys it or not: below, somebody else's verdict may differ.
// 2. It settles when its turn has told its outcome, or at once when the plan stops it and spares the turn.
// 3. It is gone when its turn is gone: an actor cannot be moved to another parent, so a settled one is a caretaker.
import {
  type AnyActorRef,
  and,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  enqueueActions,
  sendTo,
  setup,
} from 'xstate';
import { type CancelEvent, type ChildGoneEvent, type OutcomeEvent, type OverdueEvent, outcomeOf } from './cancel.ts';
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
  readonly report: Outcome | null;
  readonly verdict: OutcomeKind | null;
}

type SubAgentEvent =
  | CancelEvent
  | OverdueEvent
  | DoneActorEvent<PhaseReply, 'screen'>
  | OutcomeEvent
  | ChildGoneEvent
  | DoneActorEvent<unknown, string>
  | ErrorActorEvent<unknown, string>;

const replyOf = (event: SubAgentEvent): PhaseReply => (event as DoneActorEvent<PhaseReply>).output;
const changedAgent = (event: SubAgentEvent): AgentTask | undefined => {
  const reply = replyOf(event);
  return reply.kind === 'go' ? reply.call?.agent : undefined;
};

const base = setup({
  types: {
    context: {} as SubAgentContext,
    events: {} as SubAgentEvent,
    input: {} as CallInput,
    tags: {} as 'settled',
  },
  actors: { turn: turnChild, screen: callWorkers.screen },
  guards: {
    hasStanding: ({ context, event }) => event.type === 'CANCEL' && event.plan.stop.has(context.id),
    isScreened: ({ context }) => context.call.needs.includes('screening'),
    isGo: ({ event }) => replyOf(event).kind === 'go',
    /** Of the call as it goes on: perhaps it was changed. */
    isDetached: ({ context, event }) => (changedAgent(event) ?? context.call.agent)?.detached === true,
    allTold: ({ context }) => context.awaited.length === 0,
    empty: ({ context }) => context.children.length === 0,
  },
  actions: {
    /** Aborts this node's signal: nothing new after the cut. */
    stopWork: (_, _params: undefined) => {},
    tell: (_, _facts: readonly Fact[]) => {},
    /** Makes a turn of its own under the session of it. */
    detach: (_, _call: Call) => {},
    delegate: enqueueActions(({ enqueue, context, self }) => {
      const { agent, owner } = context.call;
      if (!agent) return;
      const id = agent.turn;
      enqueue.spawnChild('turn', {
        id: 'turn',
        input: {
          id,
          owner,
          parentId: context.id,
          parent: self,
          depth: context.depth + 1,
          text: agent.task,
          agent: agent.name,
        },
      });
      enqueue.sendTo('turn', { type: 'ADMIT' });
      enqueue.assign({ children: [id], awaited: [id] });
    }),
    relay: enqueueActions(({ enqueue, context, event }) => {
      if (context.children.length > 0) enqueue.sendTo('turn', event);
    }),
    obey: assign(({ context, event }) => {
      if (event.type !== 'CANCEL') return {};
      const cause = event.plan.stop.get(context.id);
      return {
        verdict: cause ? outcomeOf(cause) : context.verdict,
        awaited: context.awaited.filter((id) => event.plan.stop.has(id)), // the refused are not waited for
      };
    }),
    awaitAlso: assign(({ context, event }) =>
      event.type === 'CANCEL'
        ? {
            awaited: context.children.filter((id) => context.awaited.includes(id) || event.plan.stop.has(id)),
          }
        : {},
    ),
    /** Only what is asked of it: its owner and its ids stay. */
    change: assign(({ context: { call }, event }) => {
      const agent = changedAgent(event);
      return agent && call.agent ? { call: { ...call, agent: { ...agent, turn: call.agent.turn } } } : {};
    }),
    keepEnd: assign(({ event }) => {
      const reply = replyOf(event);
      return reply.kind === 'go' ? {} : { report: reply };
    }),
    neverStarted: assign(({ context }) => ({
      report: { kind: context.verdict ?? 'cancelled', effect: 'not_started' } satisfies Outcome,
    })),
    tellAbandoned: sendTo(
      ({ context }) => context.parent,
      ({ context }) => {
        const outcome: Outcome = { kind: 'abandoned', effect: 'not_started' };
        return { type: 'OUTCOME', node: context.id, outcome };
      },
    ),
    tellEnded: sendTo(
      ({ context }) => context.parent,
      ({ context }) => ({ type: 'OUTCOME', node: context.id, outcome: { kind: 'ended_late' } }),
    ),
    keepReport: assign(({ event }) =>
      event.type === 'OUTCOME' && event.outcome.kind !== 'ended_late' ? { report: event.outcome, awaited: [] } : {},
    ),
    tellOutcome: sendTo(
      ({ context }) => context.parent,
      ({ context }) => {
        const outcome: Outcome = context.report ?? {
          kind: context.verdict ?? 'cancelled',
          effect: 'unknown',
        };
        return { type: 'OUTCOME', node: context.id, outcome };
      },
    ),
  },
});

const chart = base.extend({
  actions: {
    tellLate: base.enqueueActions(({ enqueue, event }) => {
      if (event.type === 'OUTCOME') enqueue({ type: 'tell', params: lateFacts(event) });
    }),
    letGo: base.enqueueActions(({ enqueue, context: { call } }) => {
      enqueue({ type: 'detach', params: call });
      enqueue.assign({ report: detachedOutcome(call) });
    }),
    forget: base.enqueueActions(({ enqueue }) => {
      enqueue.assign({ children: [] });
      enqueue.stopChild('turn'); // it is gone: this only drops the reference
    }),
  },
});

export const subAgentMachine = chart.createMachine({
  id: 'sub-agent',
  context: ({ input }) => ({
    ...input,
    id: input.call.id,
    children: [],
    awaited: [],
    report: null,
    verdict: null,
  }),
  initial: 'arriving',
  on: {
    // A child that threw: the runtime unwinds what it left, then tells. Unheard, XState would stop this actor as well.
    'xstate.error.actor.*': { actions: [] },
    'xstate.done.actor.turn': { actions: 'forget' },
    CHILD_GONE: { actions: 'forget' },
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
            CANCEL: { guard: 'hasStanding', target: 'interrupted', actions: 'obey' },
            'xstate.done.actor.screen': [
              { guard: and(['isGo', 'isDetached']), target: '#sub-agent.settled', actions: ['change', 'letGo'] },
              { guard: 'isGo', target: '#sub-agent.delegating', actions: 'change' },
              { target: '#sub-agent.settled', actions: 'keepEnd' },
            ],
          },
        },
        interrupted: {
          entry: { type: 'stopWork', params: undefined },
          on: {
            OVERDUE: 'abandoned',
            'xstate.done.actor.screen': [
              { guard: 'isGo', target: '#sub-agent.settled', actions: 'neverStarted' },
              { target: '#sub-agent.settled', actions: 'keepEnd' },
            ],
          },
        },
        abandoned: {
          tags: 'settled',
          meta: { CANCEL: 'already settled as abandoned; its signal has fired long ago' },
          entry: 'tellAbandoned',
          on: { 'xstate.done.actor.screen': { target: '#sub-agent.gone', actions: 'tellEnded' } },
        },
      },
    },
    delegating: {
      entry: 'delegate',
      initial: 'active',
      onDone: 'settled',
      states: {
        active: {
          on: {
            CANCEL: [
              {
                guard: 'hasStanding',
                target: 'interrupted',
                actions: ['relay', 'obey'],
              },
              { actions: 'relay' },
            ],
            OUTCOME: { target: 'told', actions: 'keepReport' },
          },
        },
        interrupted: {
          always: { guard: 'allTold', target: 'told' },
          on: {
            CANCEL: { actions: ['relay', 'awaitAlso'] },
            OUTCOME: { target: 'told', actions: 'keepReport' },
          },
        },
        told: { type: 'final' }, // of the phase: its onDone settles
      },
    },
    settled: {
      tags: 'settled',
      meta: { CANCEL: 'already settled; relayed to what it could not stop' },
      always: { guard: 'empty', target: 'gone' },
      entry: 'tellOutcome',
      on: { CANCEL: { actions: 'relay' }, OUTCOME: { actions: 'tellLate' } },
    },
    gone: { type: 'final' },
  },
});
