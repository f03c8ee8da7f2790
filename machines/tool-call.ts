// A tool call: a road of phases with one worker each, which says `go` or how the call ends.
//
// 1. The outcome is told once; `abandoned` is told while the worker lives on.
// 2. A `go` that crosses the cut leads nowhere: the call ends under its cause's name, `not_started`.
// 3. Any other result is believed, in `interrupted` too: what completed stays completed.
import { type AnyActorRef, and, assign, type DoneActorEvent, sendTo, setup } from 'xstate';
import { type CancelEvent, type EndedLate, type OverdueEvent, outcomeOf } from './cancel.ts';
import { type Call, type CallInput, type CallWorkInput, callWorkers, type PhaseReply } from './contracts.ts';
import type { Effect, NodeId, Outcome, OutcomeKind } from './vocabulary.ts';

interface ToolCallContext {
  readonly id: NodeId;
  readonly call: Call;
  readonly parentId: NodeId;
  readonly parent: AnyActorRef;
  readonly depth: number;
  /** What the cause makes of a call that is stopped; null: nobody has stopped it. */
  readonly verdict: OutcomeKind | null;
}

type Worker = 'screen' | 'ask' | 'acquire' | 'start' | 'work';
type Done = DoneActorEvent<PhaseReply, Worker>;
type ToolCallEvent = CancelEvent | OverdueEvent | Done;

// screening first: a person approves, and a key is taken for, the arguments as changed; nobody holds a key while a person thinks
const road = ['screening', 'approving', 'queued', 'starting', 'running'] as const;
type Phase = (typeof road)[number];

/** A call passes `starting` where the dispatching append could not write `tool_started` for it. */
const passes: Record<Phase, (call: Call) => boolean> = {
  screening: (call) => call.needs.includes('screening'),
  approving: (call) => call.needs.includes('approving'),
  queued: (call) => call.needs.includes('queued'),
  starting: (call) => call.needs.length > 0,
  running: () => true,
};

const outputOf = (event: ToolCallEvent): PhaseReply => (event as Done).output;
const lateOutput = (reply: PhaseReply): EndedLate =>
  'output' in reply && reply.output !== undefined
    ? { kind: 'ended_late', output: reply.output }
    : { kind: 'ended_late' };

const changedCall = (event: ToolCallEvent): Call | undefined => {
  const reply = 'output' in event ? outputOf(event) : undefined;
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
    hasStanding: ({ context, event }) => event.type === 'CANCEL' && event.plan.stop.has(context.id),
    isGo: ({ event }) => outputOf(event).kind === 'go',
    /** Of the call as it goes on: perhaps it was changed. */
    passes: ({ context, event }, phase: Phase) => passes[phase](changedCall(event) ?? context.call),
  },
  actions: {
    /** Aborts this node's signal: nothing new after the cut. */
    stopWork: () => {},
    obey: assign(({ context, event }) => {
      const cause = event.type === 'CANCEL' ? event.plan.stop.get(context.id) : undefined;
      return cause ? { verdict: outcomeOf(cause) } : {};
    }),
    /** Only what is called: its owner and its id stay. */
    change: assign(({ context: { call }, event }) => {
      const changed = changedCall(event);
      return changed ? { call: { ...changed, id: call.id, owner: call.owner } } : {};
    }),
    tellOutcome: sendTo(
      ({ context }) => context.parent,
      ({ context }, outcome: Outcome | EndedLate) => ({
        type: 'OUTCOME',
        node: context.id,
        outcome,
      }),
    ),
  },
});

const onward = (from: Phase | null) =>
  road.slice(from === null ? 0 : road.indexOf(from) + 1).map((phase) => {
    const isOnTheWay = { type: 'passes', params: phase } as const;
    if (from === null) return { guard: isOnTheWay, target: `#tool-call.${phase}` };
    // what had to wait was not written as started
    const guard = phase === 'starting' ? ('isGo' as const) : and(['isGo', isOnTheWay]);
    return { guard, target: `#tool-call.${phase}`, actions: 'change' as const };
  });

const asReported = {
  target: '#tool-call.gone',
  actions: {
    type: 'tellOutcome',
    params: ({ event }: { event: ToolCallEvent }) => outputOf(event) as Outcome,
  },
} as const;

const underItsCause = {
  guard: 'isGo',
  target: '#tool-call.gone',
  actions: {
    type: 'tellOutcome',
    params: ({ context }: { context: ToolCallContext }): Outcome => ({
      kind: context.verdict ?? 'cancelled',
      effect: 'not_started',
    }),
  },
} as const;

interface PhaseOptions {
  readonly src: Worker;
  /** What an abandoned call may have done. */
  readonly effect: Effect;
  /** False: the phase ignores OVERDUE, since it waits for a commit as its closing would. */
  readonly bounded?: boolean;
}

const phase = (name: Phase, { src, effect, bounded = true }: PhaseOptions) => {
  const done = `xstate.done.actor.${src}` as const;
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
            guard: 'hasStanding',
            target: 'interrupted',
            actions: 'obey',
          },
          [done]: [...onward(name), asReported],
        },
      },
      interrupted: {
        entry: 'stopWork',
        on: {
          ...(bounded && { OVERDUE: 'abandoned' }),
          [done]: [underItsCause, asReported],
        },
      },
      abandoned: {
        tags: 'settled',
        meta: { CANCEL: 'already settled as abandoned; its signal has fired long ago' },
        entry: { type: 'tellOutcome', params: { kind: 'abandoned', effect } },
        on: {
          [done]: {
            target: '#tool-call.gone',
            actions: {
              type: 'tellOutcome',
              params: ({ event }: { event: ToolCallEvent }) => lateOutput(outputOf(event)),
            },
          },
        },
      },
    },
  });
};

export const toolCallMachine = chart.createMachine({
  id: 'tool-call',
  context: ({ input }) => ({ ...input, id: input.call.id, verdict: null }),
  initial: 'arriving',
  states: {
    arriving: { meta: { CANCEL: 'never rests here: the call is on its road in the same tick' }, always: onward(null) },
    screening: phase('screening', { src: 'screen', effect: 'not_started' }),
    approving: phase('approving', { src: 'ask', effect: 'not_started' }),
    queued: phase('queued', { src: 'acquire', effect: 'not_started' }),
    starting: phase('starting', {
      src: 'start',
      effect: 'not_started',
      bounded: false,
    }),
    running: phase('running', { src: 'work', effect: 'unknown' }),
    gone: { type: 'final' },
  },
});
