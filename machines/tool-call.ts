// The statechart of a tool call: a row of phases with one worker each, which resolves with `go` or with the outcome of the call.
//
// 1. The outcome is reported once; `abandoned` is reported while the worker still runs.
// 2. A `go` that comes after the cut starts nothing: the call ends with the outcome of its cause, `not_started`.
// 3. Any other result counts, in `interrupted` too: what completed stays completed.
import { type AnyActorRef, and, assign, type DoneActorEvent, sendTo, setup } from 'xstate';
import { type CancelEvent, type EndedLate, type OverdueEvent, outcomeOf, type Plan } from './cancel.ts';
import { type Call, type CallInput, type CallWorkInput, callWorkers, type PhaseReply } from './contracts.ts';
import type { Effect, NodeId, Outcome, OutcomeKind } from './vocabulary.ts';

interface ToolCallContext {
  readonly id: NodeId;
  readonly call: Call;
  readonly parentId: NodeId;
  readonly parent: AnyActorRef;
  readonly depth: number;
  /** The outcome that follows from the cause of its cut; null: it was not cut. */
  readonly stopOutcome: OutcomeKind | null;
}

type Worker = 'screen' | 'ask' | 'acquire' | 'start' | 'work';
type Done = DoneActorEvent<PhaseReply, Worker>;
type ToolCallEvent = CancelEvent | OverdueEvent | Done;

// screening first: a person approves the arguments as changed, and the key is for them; no call holds a key while a person thinks
const phases = ['screening', 'approving', 'queued', 'starting', 'running'] as const;
type Phase = (typeof phases)[number];

/** Whether a call passes a phase: `starting` if the dispatching append could not write `tool_started` for it. */
const needsPhase: Record<Phase, (call: Call) => boolean> = {
  screening: (call) => call.needs.includes('screening'),
  approving: (call) => call.needs.includes('approving'),
  queued: (call) => call.needs.includes('queued'),
  starting: (call) => call.needs.length > 0,
  running: () => true,
};

// the rows that call this are those of a `done` event, whose type XState cannot narrow: its key is computed
const replyOf = (event: ToolCallEvent): PhaseReply => (event as Done).output;
const lateOutput = (reply: PhaseReply): EndedLate =>
  'output' in reply && reply.output !== undefined
    ? { kind: 'ended_late', output: reply.output }
    : { kind: 'ended_late' };

const changedCall = (event: ToolCallEvent): Call | undefined => {
  const reply = 'output' in event ? event.output : undefined;
  return reply?.kind === 'go' ? reply.call : undefined;
};

const chart = setup({
  types: {
    context: {} as ToolCallContext,
    events: {} as ToolCallEvent,
    input: {} as CallInput,
    tags: {} as 'settled',
  },
  actors: callWorkers,
  guards: {
    /** The plan stops this call. */
    planStopsNode: ({ context, event }) => event.type === 'CANCEL' && event.plan.stop.has(context.id),
    isGo: ({ event }) => replyOf(event).kind === 'go',
    /** Whether the call, as it goes on and perhaps changed, needs the phase. */
    passes: ({ context, event }, phase: Phase) => needsPhase[phase](changedCall(event) ?? context.call),
  },
  actions: {
    /** Aborts this node's signal: nothing is started after the cut. */
    stopWork: () => {},
    /** Keeps the outcome that follows from the plan. */
    recordStop: assign(({ context }, { stop }: Plan) => {
      const cause = stop.get(context.id);
      return cause ? { stopOutcome: outcomeOf(cause) } : {};
    }),
    /** Takes the call as an interceptor has changed it. Its id and its owner stay. */
    changeCall: assign(({ context: { call }, event }) => {
      const changed = changedCall(event);
      return changed ? { call: { ...changed, id: call.id, owner: call.owner } } : {};
    }),
    reportOutcome: sendTo(
      ({ context }) => context.parent,
      ({ context }, outcome: Outcome | EndedLate) => ({ type: 'OUTCOME', node: context.id, outcome }),
    ),
  },
});

/** Rows to the phases after `from` (null: to all), each guarded by whether the call passes it. */
const toNextPhase = (from: Phase | null) =>
  phases.slice(from === null ? 0 : phases.indexOf(from) + 1).map((phase) => {
    const passes = { type: 'passes', params: phase } as const;
    if (from === null) return { guard: passes, target: `#tool-call.${phase}` };
    // a call that had to wait was not written as started
    const guard = phase === 'starting' ? ('isGo' as const) : and(['isGo', passes]);
    return { guard, target: `#tool-call.${phase}`, actions: 'changeCall' as const };
  });

const endAsReported = {
  target: '#tool-call.gone',
  actions: {
    type: 'reportOutcome',
    params: ({ event }: { event: ToolCallEvent }) => replyOf(event) as Outcome, // the rows above it have taken every `go`
  },
} as const;

const endNotStarted = {
  guard: 'isGo',
  target: '#tool-call.gone',
  actions: {
    type: 'reportOutcome',
    params: ({ context }: { context: ToolCallContext }): Outcome => ({
      kind: context.stopOutcome ?? 'cancelled',
      effect: 'not_started',
    }),
  },
} as const;

interface PhaseOptions {
  readonly src: Worker;
  /** The effect of a call that is abandoned in this phase. */
  readonly effect: Effect;
  /** Whether the phase handles OVERDUE; one that waits for a commit as the closing would ignores it. */
  readonly hasBudget?: boolean;
}

const phase = (name: Phase, { src, effect, hasBudget = true }: PhaseOptions) => {
  const done = `xstate.done.actor.${src}` as const;
  const abandoned = {
    tags: 'settled',
    meta: { CANCEL: 'already settled as abandoned; its signal has been aborted' },
    entry: { type: 'reportOutcome', params: { kind: 'abandoned', effect } },
    on: {
      [done]: {
        target: '#tool-call.gone',
        actions: {
          type: 'reportOutcome',
          params: ({ event }: { event: ToolCallEvent }) => lateOutput(replyOf(event)),
        },
      },
    },
  } as const;
  return chart.createStateConfig({
    invoke: {
      id: src,
      src,
      input: ({ context }): CallWorkInput => ({
        id: context.id,
        call: context.call,
        turn: context.parentId,
        depth: context.depth,
      }),
    },
    initial: 'active',
    states: {
      active: {
        on: {
          CANCEL: {
            guard: 'planStopsNode',
            target: 'interrupted',
            actions: { type: 'recordStop', params: ({ event }) => event.plan },
          },
          [done]: [...toNextPhase(name), endAsReported],
        },
      },
      interrupted: {
        meta: { CANCEL: 'is being stopped already: the first cause is kept' },
        entry: 'stopWork',
        on: {
          ...(hasBudget && { OVERDUE: 'abandoned' }),
          [done]: [endNotStarted, endAsReported],
        },
      },
      ...(hasBudget && { abandoned }),
    },
  });
};

export const toolCallMachine = chart.createMachine({
  id: 'tool-call',
  meta: {
    STEER: 'not applicable: words are for a turn, whose next model call reads them',
    BARGE_IN: 'not applicable: sound stops speech (machines/speech.ts), and no tool',
  },
  context: ({ input }) => ({ ...input, id: input.call.id, stopOutcome: null }),
  initial: 'arriving',
  states: {
    arriving: {
      meta: { CANCEL: 'never rests here: the call enters its first phase in the same tick' },
      always: toNextPhase(null),
    },
    screening: phase('screening', { src: 'screen', effect: 'not_started' }),
    approving: phase('approving', { src: 'ask', effect: 'not_started' }),
    queued: phase('queued', { src: 'acquire', effect: 'not_started' }),
    starting: phase('starting', { src: 'start', effect: 'not_started', hasBudget: false }),
    running: phase('running', { src: 'work', effect: 'unknown' }),
    gone: { type: 'final' },
  },
});
