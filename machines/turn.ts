// A turn: from a speaker's words until the reply is settled. It goes round: prepare, generate, dispatch, act.
//
// 1. The outcome is fixed on entering `settling`; it is told when the closing has committed (below the root nobody waits).
// 2. The closing covers every dispatched call exactly once: with its result, as `continues`, or as not started.
// 3. A turn that was cut takes its cause's name, whatever its workers report afterwards.
// 4. `settled` is not final: it is the caretaker of the children that were refused or abandoned; `gone` is.
//
// Long because a chart is read in one piece.
import { assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup } from 'xstate';
import { type CancelEvent, type ChildGoneEvent, type OutcomeEvent, outcomeOf } from './cancel.ts';
import { nodeAt, placeOf } from './child-id.ts';
import { closingFacts, dispatchFacts, effectOfTurn, outcomeOfTurn, resultFact, type TurnState } from './closing.ts';
import {
  type Call,
  type CompactReply,
  callChild,
  detachedOutcome,
  type ModelReply,
  type PrepareReply,
  type TurnInput,
  turnWorkers,
} from './contracts.ts';
import type { Fact } from './facts.ts';
import { abandonedEnded, lateFacts } from './late-facts.ts';
import { addEffect, addUsage, type NodeId, noUsage, type Outcome } from './vocabulary.ts';

interface TurnContext extends TurnInput, TurnState {
  /** How many model calls have been made. */
  readonly round: number;
  readonly children: readonly NodeId[];
  /** Children whose outcome this turn waits for. */
  readonly awaited: readonly NodeId[];
  /** The text of the last model call: what a sub-agent hands to its parent. */
  readonly report: string;
  readonly closing: readonly Fact[];
  /** A long history is shortened once in a turn: by a root turn, before its first model call. */
  readonly mayCompact: boolean;
}

type TurnEvent =
  | { readonly type: 'ADMIT' }
  | CancelEvent
  | OutcomeEvent
  | ChildGoneEvent
  | DoneActorEvent<PrepareReply, 'prepare'>
  | DoneActorEvent<CompactReply, 'compact'>
  | DoneActorEvent<ModelReply, 'model'>
  | DoneActorEvent<void, 'append'>
  | DoneActorEvent<unknown, string>
  | ErrorActorEvent<unknown, string>;

const replyOf = (event: TurnEvent): ModelReply => (event as DoneActorEvent<ModelReply>).output;
const prepared = (event: TurnEvent): PrepareReply => (event as DoneActorEvent<PrepareReply>).output;

const base = setup({
  types: {
    context: {} as TurnContext,
    events: {} as TurnEvent,
    input: {} as TurnInput,
    tags: {} as 'fixed' | 'settled',
  },
  actors: { ...turnWorkers, tool: callChild, sub: callChild },
  guards: {
    hasStanding: ({ context, event }) => event.type === 'CANCEL' && event.plan.stop.has(context.id),
    allTold: ({ context }) => context.awaited.length === 0,
    empty: ({ context }) => context.children.length === 0,
    isRoot: ({ context }) => context.parentId === null,
    isGo: ({ event }) => prepared(event).kind === 'go',
    isTooLong: ({ event }) => {
      const reply = prepared(event);
      return reply.kind === 'go' && reply.compact === true;
    },
    madeCalls: ({ event }) => replyOf(event).calls.length > 0,
  },
  actions: {
    /** Writes facts to the journal as they happen; waits for nothing. */
    tell: (_, _facts: readonly Fact[]) => {},
    /** Aborts this node's signal: nothing new after the cut. */
    stopWork: () => {},
    /** Makes a detached sub-agent a turn of its own under the session. */
    detach: (_, _call: Call) => {},
    obey: assign(({ context, event }) => {
      if (event.type !== 'CANCEL') return {};
      const cause = event.plan.stop.get(context.id);
      return {
        verdict: context.verdict ?? (cause ? outcomeOf(cause) : null),
        awaited: context.awaited.filter((id) => event.plan.stop.has(id)), // the refused are not waited for
      };
    }),
    // refused by an earlier plan, stopped by this one
    awaitAlso: assign(({ context, event }) => {
      if (event.type !== 'CANCEL') return {};
      const { awaited, dispatched, results } = context;
      const also = dispatched.filter((id) => event.plan.stop.has(id) && !results.includes(id) && !awaited.includes(id));
      return { awaited: [...awaited, ...also] };
    }),
    keepFailure: assign(({ event }) => {
      const { kind, code, message } = prepared(event) as ModelReply;
      return kind === 'failed' && code ? { failure: { code, message: message ?? '' } } : {};
    }),
    keepCompaction: assign(({ context, event }) => ({
      mayCompact: false,
      usage: addUsage(context.usage, (event as DoneActorEvent<CompactReply>).output.usage),
    })),
    keepReply: assign(({ context, event }) => {
      const { calls, text, usage } = replyOf(event);
      return {
        calls,
        report: text,
        usage: addUsage(context.usage, usage),
        round: context.round + 1,
      };
    }),
    close: assign(({ context }) => ({ closing: closingFacts(context) })),
    tellOutcome: sendTo(
      ({ context }) => context.parent,
      ({ context }) => {
        const { failure, verdict, usage, report } = context;
        const outcome: Outcome = {
          kind: outcomeOfTurn(context),
          effect: effectOfTurn(context),
          ...(verdict === null && failure),
          ...(report !== '' && { output: report }),
          usage,
        };
        return { type: 'OUTCOME', node: context.id, outcome };
      },
    ),
  },
});

const chart = base.extend({
  actions: {
    relay: base.enqueueActions(({ enqueue, context, event }) => {
      for (const id of context.children) enqueue.sendTo(placeOf(context.dispatched, id), event);
    }),
    tellStarted: base.enqueueActions(({ enqueue, context }) => {
      const { id: turn, owner, parentId: parent, text, agent } = context;
      const task = parent === null ? {} : { text, ...(agent !== null && { agent }) };
      enqueue({
        type: 'tell',
        params: [{ type: 'turn_started', turn, owner, parent, ...task }],
      });
      enqueue.assign({ effect: 'none' });
    }),
    open: base.enqueueActions(({ enqueue, context, self }) => {
      const { id: turn, calls, depth } = context;
      const barred = calls.filter(({ problem }) => problem);
      const detached = calls.filter(({ agent, needs }) => agent?.detached && needs.length === 0); // screened, it is the sub-agent that lets go of it
      const attached = calls.filter((call) => !barred.includes(call) && !detached.includes(call));
      const dispatched = [...context.dispatched, ...calls.map(({ id }) => id)];
      for (const call of attached) {
        enqueue.spawnChild(call.kind === 'sub-agent' ? 'sub' : 'tool', {
          id: placeOf(dispatched, call.id),
          input: { call, parentId: turn, parent: self, depth },
        });
      }
      for (const { id, problem } of barred) {
        if (!problem) continue;
        const { kind = 'failed', code, message } = problem;
        const outcome: Outcome = { kind, effect: 'not_started', code, message };
        enqueue({ type: 'tell', params: [resultFact(turn, id, outcome)] });
      }
      for (const call of detached) {
        enqueue({ type: 'detach', params: call });
        enqueue({ type: 'tell', params: [resultFact(turn, call.id, detachedOutcome(call))] });
      }
      enqueue.assign({
        children: [...context.children, ...attached.map(({ id }) => id)],
        awaited: attached.map(({ id }) => id),
        dispatched,
        results: [...context.results, ...barred.map(({ id }) => id), ...detached.map(({ id }) => id)],
        effect: detached.length > 0 ? addEffect(context.effect, 'done') : context.effect,
        calls: [],
      });
    }),
    // told as it happens: the journal keeps the order. A refused child that ends before the closing is a result like any other
    collect: base.enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'OUTCOME') return;
      const { node, outcome } = event;
      if (outcome.kind === 'ended_late') {
        enqueue({
          type: 'tell',
          params: [abandonedEnded(node, outcome.output)],
        });
        return;
      }
      enqueue.assign({
        awaited: context.awaited.filter((id) => id !== node),
        results: [...context.results, node],
        effect: addEffect(context.effect, outcome.effect),
        usage: outcome.usage ? addUsage(context.usage, outcome.usage) : context.usage,
      });
      enqueue({
        type: 'tell',
        params: [resultFact(context.id, node, outcome)],
      });
    }),
    tellClosing: base.enqueueActions(({ enqueue, context }) => {
      enqueue({ type: 'tell', params: context.closing });
    }),
    tellLate: base.enqueueActions(({ enqueue, event }) => {
      if (event.type === 'OUTCOME') enqueue({ type: 'tell', params: lateFacts(event) });
    }),
    forget: base.enqueueActions(({ enqueue, context, event }) => {
      const { dispatched, children } = context;
      const gone = 'actorId' in event ? nodeAt(dispatched, event.actorId) : event.type === 'CHILD_GONE' && event.node;
      if (!gone) return;
      enqueue.assign({ children: children.filter((id) => id !== gone) });
      enqueue.stopChild(placeOf(dispatched, gone)); // it is gone: this only drops the reference
    }),
  },
});

const toBuild = ({ context: { id, agent, mayCompact } }: { readonly context: TurnContext }) => ({
  id,
  agent,
  mayCompact,
});

// refused, it falls through to the root's handler, which relays: a node below may have another verdict
const obey = {
  CANCEL: {
    guard: 'hasStanding',
    target: 'interrupted',
    actions: ['relay', 'obey'],
  },
} as const;

export const turnMachine = chart.createMachine({
  id: 'turn',
  initial: 'queued',
  context: ({ input }) => ({
    ...input,
    round: 0,
    calls: [],
    dispatched: [],
    results: [],
    children: [],
    awaited: [],
    verdict: null,
    failure: null,
    effect: 'not_started',
    usage: noUsage,
    report: '',
    closing: [],
    mayCompact: input.parentId === null && input.agent === null,
  }),
  on: {
    OUTCOME: { actions: 'collect' },
    CANCEL: { actions: 'relay' },
    // A child that threw: the runtime unwinds what it left, then tells. Unheard, XState would stop all its siblings too.
    'xstate.error.actor.*': { actions: [] },
    'xstate.done.actor.call.*': { actions: 'forget' },
    CHILD_GONE: { actions: 'forget' },
  },
  states: {
    queued: {
      on: {
        ADMIT: { target: 'preparing', actions: 'tellStarted' },
        CANCEL: { guard: 'hasStanding', target: 'settling', actions: 'obey' },
      },
    },
    preparing: {
      invoke: {
        id: 'prepare',
        src: 'prepare',
        input: toBuild,
      },
      initial: 'active',
      states: {
        active: {
          on: {
            ...obey,
            'xstate.done.actor.prepare': [
              { guard: 'isTooLong', target: '#turn.compacting' },
              { guard: 'isGo', target: '#turn.generating' },
              { target: '#turn.settling', actions: 'keepFailure' },
            ],
          },
        },
        interrupted: {
          entry: 'stopWork',
          on: { 'xstate.done.actor.prepare': '#turn.settling' },
        },
      },
    },
    compacting: {
      invoke: {
        id: 'compact',
        src: 'compact',
        input: toBuild,
      },
      initial: 'active',
      states: {
        active: {
          on: { ...obey, 'xstate.done.actor.compact': { target: '#turn.preparing', actions: 'keepCompaction' } },
        },
        interrupted: {
          entry: 'stopWork',
          on: { 'xstate.done.actor.compact': { target: '#turn.settling', actions: 'keepCompaction' } },
        },
      },
    },
    generating: {
      invoke: {
        id: 'model',
        src: 'model',
        input: ({ context: { id, round, agent, owner, depth } }) => ({
          id,
          index: round,
          agent,
          owner,
          depth,
        }),
      },
      initial: 'active',
      states: {
        active: {
          on: {
            ...obey,
            'xstate.done.actor.model': [
              {
                guard: 'madeCalls',
                target: '#turn.dispatching',
                actions: 'keepReply',
              },
              {
                target: '#turn.settling',
                actions: ['keepReply', 'keepFailure'],
              },
            ],
          },
        },
        interrupted: {
          entry: 'stopWork',
          on: {
            // whole calls are kept: written, then settled as not started, like those that a cut finds in `dispatching`
            'xstate.done.actor.model': [
              {
                guard: 'madeCalls',
                target: '#turn.dispatching.interrupted',
                actions: 'keepReply',
              },
              { target: '#turn.settling', actions: 'keepReply' },
            ],
          },
        },
      },
    },
    dispatching: {
      invoke: {
        id: 'append',
        src: 'append',
        input: ({ context }) => dispatchFacts(context),
      },
      initial: 'active',
      states: {
        active: { on: { ...obey, 'xstate.done.actor.append': '#turn.acting' } },
        interrupted: { on: { 'xstate.done.actor.append': '#turn.settling' } }, // the write is completed first
      },
    },
    acting: {
      entry: 'open',
      initial: 'active',
      states: {
        active: {
          always: { guard: 'allTold', target: '#turn.preparing' },
          on: obey,
        },
        interrupted: {
          always: { guard: 'allTold', target: '#turn.settling' },
          on: { CANCEL: { actions: ['relay', 'awaitAlso'] } },
        },
      },
    },
    settling: {
      tags: 'fixed',
      meta: { CANCEL: 'already settled: the outcome is fixed; relayed to what lives below' },
      entry: 'close',
      initial: 'where',
      on: { OUTCOME: { actions: 'tellLate' } },
      states: {
        where: {
          always: [
            { guard: 'isRoot', target: 'appending' },
            { target: '#turn.settled', actions: 'tellClosing' },
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
      meta: { CANCEL: 'already settled; relayed to what it could not stop' },
      always: { guard: 'empty', target: 'gone' },
      entry: 'tellOutcome',
      on: { OUTCOME: { actions: 'tellLate' } },
    },
    gone: { type: 'final' },
  },
});
