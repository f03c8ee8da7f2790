// The statechart of a turn: from a speaker's words until the reply is settled. Its phases repeat: prepare, generate, dispatch, act.
//
// 1. The outcome is fixed on entering `settling`; it is reported when the closing has committed (a sub-agent's turn does not wait for that).
// 2. The closing covers every dispatched call exactly once: with its result, as `continues`, or as not started.
// 3. A turn that was cut has its cause's outcome, whatever its workers report afterwards.
// 4. `settled` is not final: it is the caretaker of the children that were refused or abandoned; `gone` is final.
import { assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup } from 'xstate';
import { type CancelEvent, type ChildGoneEvent, type OutcomeEvent, outcomeOf, type Plan } from './cancel.ts';
import type { FailureCode } from './codes.ts';
import {
  type Call,
  type CompactReply,
  callChild,
  type ModelReply,
  type PrepareReply,
  type TurnInput,
  turnWorkers,
} from './contracts.ts';
import type { Fact } from './facts.ts';
import { lateFacts } from './late-facts.ts';
import { addEffect, addUsage } from './totals.ts';
import {
  closingFacts,
  dispatchFacts,
  immediateOutcome,
  outcomeFacts,
  resultFact,
  startFact,
  type TurnState,
  turnOutcome,
} from './turn-facts.ts';
import { type NodeId, noUsage } from './vocabulary.ts';

/** At most 19 fields: V8 keeps an object that `assign` has copied with more of them as a hash table, which is five times as large. */
interface TurnContext extends TurnState {
  readonly input: TurnInput;
  /** How many model calls have been made. */
  readonly round: number;
  readonly children: readonly NodeId[];
  /** Children whose outcome this turn waits for. */
  readonly awaited: readonly NodeId[];
  /** The text of the last model call: a sub-agent hands it to its parent. */
  readonly report: string;
  readonly closing: readonly Fact[];
  /** A long history is shortened once in a turn: by a root turn that is no acknowledgement, before its first model call. */
  readonly mayCompact: boolean;
}

// The actor of a call is named by the number of the call in its turn. XState keeps, at every state node and for ever, each type of event that
// was received, and the type of a `done` event has the child's id: node ids, of which there is no end, would all be kept.
const childPrefix = 'call.';

/** Returns the actor id of a call. `dispatched`: every call of the turn, in the order of dispatch. */
export const childIdOf = (dispatched: readonly NodeId[], node: NodeId): string =>
  childPrefix + dispatched.indexOf(node);

/** Returns the call that has this actor id; undefined: none of the turn has. */
export const nodeOfChild = (dispatched: readonly NodeId[], childId: string): NodeId | undefined =>
  dispatched[Number(childId.slice(childPrefix.length))];

type TurnEvent =
  | { readonly type: 'ADMIT' }
  | CancelEvent
  | OutcomeEvent
  | ChildGoneEvent
  | DoneActorEvent<PrepareReply, 'prepare'>
  | DoneActorEvent<CompactReply, 'compact'>
  | DoneActorEvent<ModelReply, 'model'>
  | DoneActorEvent<void, 'append'>
  | DoneActorEvent<unknown, `call.${string}`>
  | ErrorActorEvent<unknown, string>;

const base = setup({
  types: {
    context: {} as TurnContext,
    events: {} as TurnEvent,
    input: {} as TurnInput,
    tags: {} as 'fixed' | 'settled',
  },
  actors: { ...turnWorkers, tool: callChild, sub: callChild },
  guards: {
    /** The plan stops this turn. */
    planStopsNode: ({ context, event }) => event.type === 'CANCEL' && event.plan.stop.has(context.id),
    /** No child is left whose outcome the turn waits for. */
    allReported: ({ context }) => context.awaited.length === 0,
    hasNoChildren: ({ context }) => context.children.length === 0,
    isRoot: ({ context }) => context.input.parentId === null,
    isGo: (_, reply: PrepareReply) => reply.kind === 'go',
    isTooLong: (_, reply: PrepareReply) => reply.kind === 'go' && reply.compact === true,
    madeCalls: (_, reply: ModelReply) => reply.calls.length > 0,
  },
  actions: {
    /** Appends facts to the journal, without waiting for their commit. */
    appendFacts: (_, _facts: readonly Fact[]) => {},
    /** Aborts this node's signal: nothing is started after the cut. */
    stopWork: () => {},
    /** Makes a detached sub-agent a turn of its own under the session. */
    detach: (_, _call: Call) => {},
    markStarted: assign({ effect: 'none' }),
    /** Keeps the outcome that follows from the plan. Children that the plan refuses to stop are not awaited. */
    recordStop: assign(({ context: { id, stopOutcome, awaited } }, { stop }: Plan) => {
      const cause = stop.get(id);
      return {
        stopOutcome: stopOutcome ?? (cause ? outcomeOf(cause) : null),
        awaited: awaited.filter((child) => stop.has(child)),
      };
    }),
    /** Awaits the children that an earlier plan refused to stop and this one stops. */
    awaitNewlyStopped: assign(({ context: { awaited, dispatched, results } }, { stop }: Plan) => ({
      awaited: [
        ...awaited,
        ...dispatched.filter((id) => stop.has(id) && !results.includes(id) && !awaited.includes(id)),
      ],
    })),
    /** Keeps the outcomes of calls that a plan stops before they are opened. The first one of a call stays. */
    withholdCalls: assign(({ context: { withheld } }, { stop }: Plan) => {
      const stopped = [...stop].map(([id, cause]) => [id, outcomeOf(cause)] as const);
      return { withheld: { ...Object.fromEntries(stopped), ...withheld } };
    }),
    keepFailure: assign((_, reply: PrepareReply | ModelReply) => {
      if (reply.kind !== 'failed' || !reply.code) return {};
      return { failure: { code: reply.code, message: reply.message ?? '' } };
    }),
    /** Keeps what a worker of this turn, which was stopped, could not end in time. */
    keepAbandoned: assign((_, { code }: { readonly code?: FailureCode }) => (code ? { abandoned: code } : {})),
    keepCompaction: assign(({ context }, { usage }: CompactReply) => ({
      mayCompact: false,
      usage: addUsage(context.usage, usage),
    })),
    keepReply: assign(({ context }, { calls, text, usage, finish, effect }: ModelReply) => ({
      calls,
      report: text,
      finish: finish ?? null,
      effect: effect ? addEffect(context.effect, effect) : context.effect,
      usage: addUsage(context.usage, usage),
      round: context.round + 1,
    })),
    collectOutcome: assign(({ context }, { node, outcome }: OutcomeEvent) => {
      if (outcome.kind === 'ended_late') return {};
      return {
        awaited: context.awaited.filter((id) => id !== node),
        results: [...context.results, node],
        effect: addEffect(context.effect, outcome.effect),
        usage: outcome.usage ? addUsage(context.usage, outcome.usage) : context.usage,
      };
    }),
    /** Fixes the closing, and with it the outcome. */
    fixClosing: assign(({ context }) => ({ closing: closingFacts(context) })),
    reportOutcome: sendTo(
      ({ context }) => context.input.parent,
      ({ context }) => ({ type: 'OUTCOME', node: context.id, outcome: turnOutcome(context) }),
    ),
  },
});

const chart = base.extend({
  actions: {
    /** Sends the event on to every child. */
    relay: base.enqueueActions(({ enqueue, context, event }) => {
      for (const id of context.children) enqueue.sendTo(childIdOf(context.dispatched, id), event);
    }),
    forgetChild: base.enqueueActions(({ enqueue, context: { children, dispatched }, event }) => {
      const node =
        'actorId' in event ? nodeOfChild(dispatched, event.actorId) : 'node' in event ? event.node : undefined;
      if (node === undefined) return;
      enqueue.assign({ children: children.filter((id) => id !== node) });
    }),
    /** Drops the references to the children that are gone: each is a copy of all, which a turn that ends does not need. */
    dropGoneChildren: base.enqueueActions(({ enqueue, context: { children, dispatched }, self }) => {
      const referenced = new Set(Object.keys(self.getSnapshot().children));
      for (const [i, node] of dispatched.entries()) {
        const id = childPrefix + i;
        if (referenced.has(id) && !children.includes(node)) enqueue.stopChild(id);
      }
    }),
    /** Starts the calls of a round. One with a problem has its result at once, and so has a detached sub-agent. */
    openCalls: base.enqueueActions(({ enqueue, context, self }) => {
      const { id: turn, calls, input } = context;
      const dispatched = [...context.dispatched, ...calls.map(({ id }) => id)];
      const started: NodeId[] = [];
      const results = [...context.results];
      let { effect } = context;
      for (const call of calls) {
        const outcome = immediateOutcome(call, context);
        if (outcome) {
          if (outcome.kind === 'completed') enqueue({ type: 'detach', params: call });
          enqueue({ type: 'appendFacts', params: [resultFact(turn, call.id, outcome)] });
          results.push(call.id);
          effect = addEffect(effect, outcome.effect);
        } else {
          enqueue.spawnChild(call.kind === 'sub-agent' ? 'sub' : 'tool', {
            id: childIdOf(dispatched, call.id),
            input: { call, parentId: turn, parent: self, depth: input.depth },
          });
          started.push(call.id);
        }
      }
      const children = [...context.children, ...started];
      enqueue.assign({ children, awaited: started, dispatched, results, effect, calls: [], withheld: {} });
    }),
  },
});

const buildInput = ({ context: { id, round, input, mayCompact } }: { readonly context: TurnContext }) => ({
  id,
  index: round,
  agent: input.agent,
  mayCompact,
  options: input.options,
  acknowledges: input.acknowledges,
});

const planIn = ({ event }: { readonly event: CancelEvent }): Plan => event.plan;
const replyOf = <Reply>({ event }: { readonly event: { readonly output: Reply } }): Reply => event.output;

/** The code of a worker that was stopped; a failure after the stop is of no interest. */
const codeOfStopped = (reply: PrepareReply | ModelReply): { readonly code?: FailureCode } =>
  reply.kind === 'stopped' ? reply : {};

/** The CANCEL of a phase that is active. Without standing it reaches the root's handler, which relays it: a node below may have another verdict. */
const onCancel = {
  CANCEL: { guard: 'planStopsNode', target: 'interrupted', actions: ['relay', { type: 'recordStop', params: planIn }] },
} as const;

/** Why a phase that is interrupted does not judge a CANCEL. */
const stoppedAlready = { CANCEL: 'is being stopped already: the first cause is kept; relayed to the nodes below' };

/** The CANCEL of a phase in which calls have been made and are not opened: it may stop some of these, and not the turn. */
const onCancelBeforeCalls = {
  CANCEL: [onCancel.CANCEL, { actions: ['relay', { type: 'withholdCalls', params: planIn }] }],
} as const;

const appendLateEnd = {
  type: 'appendFacts',
  params: ({ event }: { readonly event: OutcomeEvent }) => lateFacts(event),
} as const;

export const turnMachine = chart.createMachine({
  id: 'turn',
  meta: { BARGE_IN: 'not applicable: sound stops speech (machines/speech.ts); model and tools run on' },
  initial: 'queued',
  context: ({ input }) => ({
    id: input.id,
    input,
    round: 0,
    calls: [],
    dispatched: [],
    withheld: {},
    results: [],
    children: [],
    awaited: [],
    stopOutcome: null,
    failure: null,
    abandoned: null,
    effect: 'not_started',
    usage: noUsage,
    report: '',
    finish: null,
    closing: [],
    mayCompact: input.parentId === null && input.agent === null && input.acknowledges === undefined,
  }),
  on: {
    // appended as it happens: the journal keeps the order. A refused child that ends before the closing has a result like any other
    OUTCOME: {
      actions: [
        { type: 'appendFacts', params: ({ context, event }) => outcomeFacts(context.id, event) },
        { type: 'collectOutcome', params: ({ event }) => event },
      ],
    },
    CANCEL: { actions: 'relay' },
    // The runtime stops what a child that threw has left, then sends CHILD_GONE. Without this row XState would stop its siblings too.
    'xstate.error.actor.*': { actions: [] },
    'xstate.done.actor.call.*': { actions: 'forgetChild' },
    CHILD_GONE: { actions: 'forgetChild' },
  },
  states: {
    queued: {
      meta: { STEER: 'not applicable: only a turn that runs is steered; words for a queued one are a SAY' },
      on: {
        ADMIT: {
          target: 'preparing',
          actions: [{ type: 'appendFacts', params: ({ context }) => [startFact(context.input)] }, 'markStarted'],
        },
        CANCEL: { guard: 'planStopsNode', target: 'settling', actions: { type: 'recordStop', params: planIn } },
      },
    },
    preparing: {
      meta: {
        STEER:
          'not applicable: its worker reads the deferred inputs into the request, in the tick in which it builds it',
      },
      entry: 'dropGoneChildren',
      invoke: { id: 'prepare', src: 'prepare', input: buildInput },
      initial: 'active',
      states: {
        active: {
          on: {
            ...onCancel,
            'xstate.done.actor.prepare': [
              { guard: { type: 'isTooLong', params: replyOf }, target: '#turn.compacting' },
              { guard: { type: 'isGo', params: replyOf }, target: '#turn.generating' },
              { target: '#turn.settling', actions: { type: 'keepFailure', params: replyOf } },
            ],
          },
        },
        interrupted: {
          meta: stoppedAlready,
          entry: 'stopWork',
          on: {
            'xstate.done.actor.prepare': {
              target: '#turn.settling',
              actions: { type: 'keepAbandoned', params: ({ event }) => codeOfStopped(event.output) },
            },
          },
        },
      },
    },
    compacting: {
      meta: { STEER: 'not applicable: the inputs wait for the request that is built after the summary' },
      invoke: { id: 'compact', src: 'compact', input: buildInput },
      initial: 'active',
      states: {
        active: {
          on: {
            ...onCancel,
            'xstate.done.actor.compact': {
              target: '#turn.preparing',
              actions: { type: 'keepCompaction', params: replyOf },
            },
          },
        },
        interrupted: {
          meta: stoppedAlready,
          entry: 'stopWork',
          on: {
            'xstate.done.actor.compact': {
              target: '#turn.settling',
              actions: [
                { type: 'keepCompaction', params: replyOf },
                { type: 'keepAbandoned', params: replyOf },
              ],
            },
          },
        },
      },
    },
    generating: {
      meta: { STEER: 'not applicable: the inputs wait for the request of the next round' },
      invoke: {
        id: 'model',
        src: 'model',
        input: ({ context: { round, input } }) => {
          const { id, agent, owner, depth, options, acknowledges } = input;
          return { id, index: round, agent, owner, depth, options, acknowledges };
        },
      },
      initial: 'active',
      states: {
        active: {
          on: {
            ...onCancelBeforeCalls,
            'xstate.done.actor.model': [
              {
                guard: { type: 'madeCalls', params: replyOf },
                target: '#turn.dispatching',
                actions: { type: 'keepReply', params: replyOf },
              },
              {
                target: '#turn.settling',
                actions: [
                  { type: 'keepReply', params: replyOf },
                  { type: 'keepFailure', params: replyOf },
                ],
              },
            ],
          },
        },
        interrupted: {
          meta: stoppedAlready,
          entry: 'stopWork',
          on: {
            // whole calls are kept: appended, then settled as not started, like those that a cut finds in `dispatching`
            'xstate.done.actor.model': [
              {
                guard: { type: 'madeCalls', params: replyOf },
                target: '#turn.dispatching.interrupted',
                actions: { type: 'keepReply', params: replyOf },
              },
              {
                target: '#turn.settling',
                actions: [
                  { type: 'keepReply', params: replyOf },
                  { type: 'keepAbandoned', params: ({ event }) => codeOfStopped(event.output) },
                ],
              },
            ],
          },
        },
      },
    },
    dispatching: {
      meta: { STEER: 'not applicable: the inputs wait for the request of the next round' },
      invoke: {
        id: 'append',
        src: 'append',
        input: ({ context }) => dispatchFacts(context),
      },
      initial: 'active',
      states: {
        active: { on: { ...onCancelBeforeCalls, 'xstate.done.actor.append': '#turn.acting' } },
        interrupted: { meta: stoppedAlready, on: { 'xstate.done.actor.append': '#turn.settling' } }, // the write is completed first
      },
    },
    acting: {
      meta: { STEER: 'not applicable: the inputs wait for the results of the round' },
      entry: 'openCalls',
      initial: 'active',
      states: {
        active: {
          always: { guard: 'allReported', target: '#turn.preparing' },
          on: onCancel,
        },
        interrupted: {
          meta: stoppedAlready,
          always: { guard: 'allReported', target: '#turn.settling' },
          on: { CANCEL: { actions: ['relay', { type: 'awaitNewlyStopped', params: planIn }] } },
        },
      },
    },
    settling: {
      tags: 'fixed',
      meta: {
        CANCEL: 'already settled: the outcome is fixed; relayed to the children',
        STEER: 'not applicable: its inputs open turns of their own when it has settled; newer words are a SAY',
      },
      entry: 'fixClosing',
      initial: 'branching',
      on: { OUTCOME: { actions: appendLateEnd } },
      states: {
        branching: {
          always: [
            { guard: 'isRoot', target: 'appending' },
            { target: '#turn.settled', actions: { type: 'appendFacts', params: ({ context }) => context.closing } },
          ],
        },
        // the lane waits for this commit
        appending: {
          invoke: {
            id: 'append',
            src: 'append',
            input: ({ context }) => context.closing,
            onDone: '#turn.settled',
          },
        },
      },
    },
    settled: {
      tags: 'settled',
      meta: {
        CANCEL: 'already settled; relayed to the children that run on',
        STEER: 'not applicable: words for a settled turn are a SAY',
      },
      always: { guard: 'hasNoChildren', target: 'gone' },
      entry: 'reportOutcome',
      on: { OUTCOME: { actions: appendLateEnd } },
    },
    gone: { type: 'final' },
  },
});
