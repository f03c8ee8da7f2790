// A session: the only one that decides. It lines turns up in their lanes, judges each CANCEL once, and closes in order.
//
// 1. One plan for each CANCEL: the same verdicts drive the cut, the receipt and the machines.
// 2. In a lane the next turn is admitted when the outcome of the one before has been told, which is behind its commit.
// 3. It hears events on a fresh stack, with the live tree read into them; while it is `recovering` they wait at the door.
import { and, type DoneActorEvent, type ErrorActorEvent, enqueueActions, sendTo, setup } from 'xstate';
import { type CancelWish, type OutcomeEvent, type Plan, type PlannedView, planOf } from './cancel.ts';
import type { AnswerCode, RefusalCode } from './codes.ts';
import { type LinkInput, linkChild, recoverWorker } from './contracts.ts';
import { type Evidence, type Standing, standsByRole } from './standing.ts';
import type { Cause, NodeId, Policy, Speaker, SpeakerId } from './vocabulary.ts';

export interface SessionInput {
  readonly policy: Policy;
  /** Who may stop what, where the embedder has a rule of its own. */
  readonly standing?: Standing;
  /** How many turns may wait in one lane. */
  readonly laneLimit: number;
}

/** A root turn, as the session keeps it. */
interface Entry {
  readonly id: NodeId;
  /** Turns of one lane never overlap; null: a detached agent, beside all lanes. */
  readonly lane: string | null;
  readonly admitted: boolean;
  readonly settled: boolean;
}

export interface SessionContext extends SessionInput {
  readonly turns: readonly Entry[];
}

export interface SayEvent {
  readonly type: 'SAY';
  readonly lane: string;
  readonly turn: LinkInput;
  /** The ref of the frame, for the answer. */
  readonly ref: string | null;
}

export interface SessionCancelEvent {
  readonly type: 'CANCEL';
  readonly wish: CancelWish;
  /** The unsettled live nodes at and below the target. */
  readonly nodes: readonly PlannedView[];
  readonly detached: readonly NodeId[];
  readonly evidence: Evidence;
}

/** Somebody answers an approval or a question. */
export interface AnswerEvent {
  readonly type: 'ANSWER';
  readonly answer: 'approved' | 'denied' | 'answered';
  /** Of a question. */
  readonly text: string | null;
  readonly by: Speaker;
  readonly target: NodeId;
  readonly ref: string | null;
  /** The target's open question, read in the tick of the decision; null: there is none, or its call is being stopped. */
  readonly question: { readonly to: SpeakerId; readonly kind: 'approval' | 'question' } | null;
}

/** A detached agent: it has been in the live tree since its call was opened, so a plan may have cut it by now. */
export interface SpawnEvent {
  readonly type: 'SPAWN';
  readonly turn: LinkInput;
  readonly cut: Cause | null;
}

export type SessionEvent =
  | SayEvent
  | SessionCancelEvent
  | SpawnEvent
  | AnswerEvent
  | OutcomeEvent
  | { readonly type: 'NODE_CRASHED'; readonly node: NodeId }
  | { readonly type: 'TURN_GONE'; readonly node: NodeId }
  | { readonly type: 'CLOSE' }
  | DoneActorEvent<unknown, string>
  | ErrorActorEvent<unknown, string>;

const planFor = ({ policy, standing }: SessionContext, { wish, nodes, detached, evidence }: SessionCancelEvent): Plan =>
  planOf(wish, nodes, detached, evidence, policy, standing);

const base = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionEvent,
    input: {} as SessionInput,
  },
  actors: { link: linkChild, recover: recoverWorker },
  guards: {
    /** The speaker has standing over at least one node that is not cut yet, or the plan repeats what he has standing over. */
    hasStanding: ({ context, event }) => {
      if (event.type !== 'CANCEL') return false;
      const uncut = { ...event, nodes: event.nodes.map((node) => ({ ...node, cut: null })) };
      return planFor(context, uncut).stop.size > 0;
    },
    laneIsFull: ({ context, event }) =>
      event.type === 'SAY' &&
      context.turns.filter(({ lane, admitted }) => lane === event.lane && !admitted).length >= context.laneLimit,
    isCut: ({ event }) => event.type === 'SPAWN' && event.cut !== null,
    isOpenQuestion: ({ event }) =>
      event.type === 'ANSWER' &&
      event.question !== null &&
      (event.question.kind === 'question') === (event.answer === 'answered'),
    isAddressed: ({ event }) =>
      event.type === 'ANSWER' && (event.question?.to === event.by.id || standsByRole(event.by)),
    allSettled: ({ context }) => context.turns.every(({ settled }) => settled),
  },
  actions: {
    /** Numbers the acceptance, marks the cut, aborts, arms the budgets: all in this tick. */
    accept: (_, _params: { readonly plan: Plan; readonly event: SessionCancelEvent }) => {},
    /** Answers one who has standing over nothing. */
    refuse: (_, _params: { readonly plan: Plan; readonly event: SessionCancelEvent }) => {},
    /** Tells `turn_opened`. */
    tellOpened: (_, _event: SayEvent) => {},
    /** Answers a SAY that opens no turn. */
    refuseSay: (_, _code: RefusalCode) => {},
    /** Closes the question: one answer wins. */
    answer: (_, _event: AnswerEvent) => {},
    refuseAnswer: (_, _code: AnswerCode) => {},
    /** Unwinds what a machine that threw has left; its OUTCOME follows when the closing has committed. */
    unwind: (_, _node: NodeId) => {},
    drop: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'TURN_GONE') return;
      enqueue.stopChild(event.node); // it is gone: this only drops the reference
      enqueue.assign({ turns: context.turns.filter(({ id }) => id !== event.node) });
    }),
    settle: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'OUTCOME') return;
      enqueue.assign({
        turns: context.turns.map((turn) => (turn.id === event.node ? { ...turn, settled: true } : turn)),
      });
    }),
    /** Lets the first unsettled turn of each lane begin. */
    admit: enqueueActions(({ enqueue, context }) => {
      const waiting = context.turns.filter(({ settled }) => !settled);
      const heads = waiting.filter(
        (turn) => turn.lane === null || waiting.find(({ lane }) => lane === turn.lane) === turn,
      );
      const next = heads.filter(({ admitted }) => !admitted);
      for (const { id } of next) enqueue.sendTo(id, { type: 'ADMIT' });
      enqueue.assign({
        turns: context.turns.map((turn) => (next.includes(turn) ? { ...turn, admitted: true } : turn)),
      });
    }),
    enter: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'SAY' && event.type !== 'SPAWN') return;
      const { id } = event.turn;
      const lane = event.type === 'SAY' ? event.lane : null;
      enqueue.spawnChild('link', { id, input: event.turn });
      enqueue.assign({ turns: [...context.turns, { id, lane, admitted: false, settled: false }] });
    }),
    cancelFirst: sendTo(
      ({ event }) => (event.type === 'SPAWN' ? event.turn.id : ''),
      ({ event }) => {
        const stop = new Map(event.type === 'SPAWN' && event.cut ? [[event.turn.id, event.cut]] : []);
        return { type: 'CANCEL', plan: { stop, pending: [], refused: [], detached: [] } satisfies Plan };
      },
    ),
  },
});

const chart = base.extend({
  actions: {
    plan: base.enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'CANCEL') return;
      const plan = planFor(context, event);
      enqueue({ type: 'accept', params: { plan, event } });
      for (const { id } of context.turns) enqueue.sendTo(id, { type: 'CANCEL', plan });
    }),
    turnDown: base.enqueueActions(({ enqueue, context, event }) => {
      if (event.type === 'CANCEL') enqueue({ type: 'refuse', params: { plan: planFor(context, event), event } });
    }),
    open: base.enqueueActions(({ enqueue, event }) => {
      if (event.type === 'SAY') enqueue({ type: 'tellOpened', params: event });
    }),
    takeAnswer: base.enqueueActions(({ enqueue, event }) => {
      if (event.type === 'ANSWER') enqueue({ type: 'answer', params: event });
    }),
    crashed: base.enqueueActions(({ enqueue, event }) => {
      if (event.type === 'NODE_CRASHED') enqueue({ type: 'unwind', params: event.node });
    }),
  },
});

/** What a session answers as long as it has turns: while it is open, and while it closes. */
const alive = chart.createStateConfig({
  on: {
    CANCEL: [{ guard: 'hasStanding', actions: 'plan' }, { actions: 'turnDown' }],
    SPAWN: [{ guard: 'isCut', actions: ['enter', 'cancelFirst'] }, { actions: ['enter', 'admit'] }],
    ANSWER: [
      { guard: and(['isOpenQuestion', 'isAddressed']), actions: 'takeAnswer' },
      { guard: 'isOpenQuestion', actions: { type: 'refuseAnswer', params: 'not_addressed' } },
      { actions: { type: 'refuseAnswer', params: 'expired' } },
    ],
    OUTCOME: { actions: ['settle', 'admit'] },
    TURN_GONE: { actions: 'drop' },
    NODE_CRASHED: { actions: 'crashed' },
    'xstate.error.actor.*': { actions: [] },
  },
});

export const sessionMachine = chart.createMachine({
  id: 'session',
  context: ({ input }) => ({ ...input, turns: [] }),
  initial: 'recovering',
  states: {
    recovering: {
      meta: { CANCEL: 'waits at the door: events are delivered when recovery is over, and nothing lives before that' },
      invoke: { id: 'recover', src: 'recover', input: {}, onDone: 'open', onError: 'closed' },
    },
    open: {
      on: {
        ...alive.on,
        SAY: [
          { guard: 'laneIsFull', actions: { type: 'refuseSay', params: 'lane_full' } },
          { actions: ['open', 'enter', 'admit'] },
        ],
        CLOSE: 'closing',
      },
    },
    closing: {
      always: { guard: 'allSettled', target: 'closed' },
      on: { ...alive.on, SAY: { actions: { type: 'refuseSay', params: 'session_closing' } } },
    },
    closed: {
      meta: { CANCEL: 'nothing lives any more: the door answers from the log' },
      type: 'final',
    },
  },
});
