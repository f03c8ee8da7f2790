// The session's chart: the only one that decides. It queues turns in their lanes, judges each CANCEL once, and closes in order.
//
// 1. One plan for each CANCEL, computed once: the same verdicts drive the cut, the receipt and the machines.
// 2. In a lane the next turn is admitted after the outcome of the one before was reported, which is after its commit.
// 3. Its events are sent on a fresh stack, with the live tree read into them; none is sent while it is `recovering`.
import { and, type DoneActorEvent, type ErrorActorEvent, enqueueActions, setup } from 'xstate';
import {
  type CancelCommand,
  type CancelReach,
  type Judgment,
  judgeCancel,
  type OutcomeEvent,
  type Plan,
  planFor,
} from './cancel.ts';
import type { AnswerCode, RefusalCode } from './codes.ts';
import { type LinkInput, linkChild, recoverWorker } from './contracts.ts';
import { decisionFact } from './decision.ts';
import type { CancelDecided, QueuedInput } from './facts.ts';
import { isLaneFull, isRejected, type Lanes, queueOf, type RootTurn } from './lanes.ts';
import { answersByRole, type Evidence, type StandingRule } from './standing.ts';
import type { Cause, NodeId, Policy, Speaker, SpeakerId } from './vocabulary.ts';

export interface SessionInput extends Pick<Lanes, 'laneLimit' | 'whileRunning'> {
  readonly policy: Policy;
  /** Who may stop what, if the embedder has a rule of its own. */
  readonly standing?: StandingRule | undefined;
}

export interface SessionContext extends SessionInput {
  readonly turns: readonly RootTurn[];
}

export interface SayEvent {
  readonly type: 'SAY';
  readonly lane: string;
  readonly turn: LinkInput;
  /** The ref of the frame, for the reply. */
  readonly ref: string | null;
  /** The speaker whose connection sent it, where it is another one: a bridge. */
  readonly via?: SpeakerId | undefined;
}

export interface SessionCancelEvent extends CancelReach {
  readonly type: 'CANCEL';
  readonly command: CancelCommand;
  readonly evidence: Evidence;
}

/** An answer to an approval or a question. */
export interface AnswerEvent {
  readonly type: 'ANSWER';
  /** The id of the answer, for the reply. */
  readonly id: string;
  readonly answer: 'approved' | 'denied' | 'answered';
  /** Of a question. */
  readonly text: string | null;
  readonly by: Speaker;
  readonly via?: SpeakerId | undefined;
  readonly target: NodeId;
  readonly ref: string | null;
  /** The id of the question that it answers; null: it names none. */
  readonly question: string | null;
  /** The target's open question, read in the tick of the decision; null: there is none, or its call is being stopped. */
  readonly open: OpenQuestion | null;
}

export interface OpenQuestion {
  readonly id: string;
  readonly to: SpeakerId;
  readonly kind: 'approval' | 'question';
  /** Whether the call had asked nothing before. */
  readonly isFirst: boolean;
}

/** A detached agent: it has been in the live tree since its call was opened, so a plan may have cut it by now. */
export interface SpawnEvent {
  readonly type: 'SPAWN';
  readonly turn: LinkInput;
  readonly cut: Cause | null;
}

/** The shield of a turn is over: what was deferred below it is stopped now. */
export interface ShieldEndedEvent {
  readonly type: 'SHIELD_ENDED';
  readonly plan: Plan;
}

export type SessionEvent =
  | SayEvent
  | SessionCancelEvent
  | SpawnEvent
  | AnswerEvent
  | OutcomeEvent
  | ShieldEndedEvent
  | { readonly type: 'NODE_CRASHED'; readonly node: NodeId }
  | { readonly type: 'TURN_GONE'; readonly node: NodeId }
  | { readonly type: 'CLOSE' }
  | DoneActorEvent<unknown, string>
  | ErrorActorEvent<unknown, string>;

const judgments = new WeakMap<SessionCancelEvent, Judgment>();

/** Judges a CANCEL. The guard and the actions of one transition share the result. */
function judge({ policy, standing }: SessionContext, event: SessionCancelEvent): Judgment {
  const known = judgments.get(event);
  if (known) return known;
  const judgment = judgeCancel(event.command, event, event.evidence, policy, standing);
  judgments.set(event, judgment);
  return judgment;
}

/** What the session does with a CANCEL: by its plan, and with the record of the decision; null: it needed none. */
export interface DecidedCancel {
  readonly plan: Plan;
  readonly event: SessionCancelEvent;
  readonly decision: CancelDecided | null;
  /** What becomes of the words that wait in the lanes of the turns that are stopped. */
  readonly queue: readonly QueuedInput[];
}

function decide(context: SessionContext, event: SessionCancelEvent): DecidedCancel {
  const { plan, verdicts } = judge(context, event);
  const { policy, standing: customRule } = context;
  const { command, evidence } = event;
  const decision = decisionFact(command, command.cancel, { evidence, policy, customRule, verdicts });
  return { plan, event, decision, queue: queueOf(context, plan) };
}

const base = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionEvent,
    input: {} as SessionInput,
  },
  actors: { link: linkChild, recover: recoverWorker },
  guards: {
    /** The speaker may stop at least one node at or below the target. */
    hasStanding: ({ context, event }) => event.type === 'CANCEL' && judge(context, event).hasStanding,
    laneIsFull: ({ context, event }) => event.type === 'SAY' && isLaneFull(context, event),
    isRejected: ({ context, event }) => event.type === 'SAY' && isRejected(context, event),
    isCut: ({ event }) => event.type === 'SPAWN' && event.cut !== null,
    isOpenQuestion: ({ event }) =>
      event.type === 'ANSWER' &&
      event.open !== null &&
      (event.open.kind === 'question') === (event.answer === 'answered') &&
      (event.question === null || event.question === event.open.id),
    /** An answer without an id may have been meant for the question before: it counts for the first one only. */
    needsQuestion: ({ event }) => event.type === 'ANSWER' && event.question === null && event.open?.isFirst === false,
    isAddressed: ({ event }) => event.type === 'ANSWER' && (event.open?.to === event.by.id || answersByRole(event.by)),
    allSettled: ({ context }) => context.turns.every(({ settled }) => settled),
  },
  actions: {
    /** Numbers the acceptance, marks the cut, aborts, arms the budgets: all in this tick. */
    accept: (_, _decided: DecidedCancel) => {},
    /** Refuses a speaker who has standing over nothing. */
    refuse: (_, _decided: DecidedCancel) => {},
    /** Writes `turn_opened`, and replies after its commit. */
    confirmSay: (_, _event: SayEvent) => {},
    /** Replies to a SAY that opens no turn. */
    refuseSay: (_, _params: { readonly code: RefusalCode; readonly event: SayEvent }) => {},
    /** Closes the question: one answer wins. */
    closeQuestion: (_, _event: AnswerEvent) => {},
    refuseAnswer: (_, _params: { readonly code: AnswerCode; readonly event: AnswerEvent }) => {},
    /** Unwinds the nodes below a machine that threw; its OUTCOME follows when the closing has committed. */
    unwindCrash: (_, _node: NodeId) => {},
    /** Stops what was deferred. */
    stopDeferred: (_, _plan: Plan) => {},
    relayCancel: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'CANCEL' && event.type !== 'SHIELD_ENDED') return;
      const plan = event.type === 'CANCEL' ? judge(context, event).plan : event.plan;
      for (const { id } of context.turns) enqueue.sendTo(id, { type: 'CANCEL', plan });
    }),
    forgetTurn: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'TURN_GONE') return;
      enqueue.stopChild(event.node); // it is gone: this only drops the reference
      enqueue.assign({ turns: context.turns.filter(({ id }) => id !== event.node) });
    }),
    settleTurn: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'OUTCOME') return;
      enqueue.assign({
        turns: context.turns.map((turn) => (turn.id === event.node ? { ...turn, settled: true } : turn)),
      });
    }),
    /** Admits the first unsettled turn of each lane. */
    admitNext: enqueueActions(({ enqueue, context }) => {
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
    openTurn: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'SAY' && event.type !== 'SPAWN') return;
      const { id, owner } = event.turn;
      const lane = event.type === 'SAY' ? event.lane : null;
      enqueue.spawnChild('link', { id, input: event.turn });
      enqueue.assign({ turns: [...context.turns, { id, owner, lane, admitted: false, settled: false }] });
    }),
    /** Cancels a detached agent that was cut before the session opened its turn. */
    cancelSpawned: enqueueActions(({ enqueue, event }) => {
      if (event.type !== 'SPAWN' || !event.cut) return;
      enqueue.sendTo(event.turn.id, { type: 'CANCEL', plan: planFor(event.turn.id, event.cut) });
    }),
  },
});

/** The transitions of a session as long as it has turns: while it is open, and while it closes. */
const alive = base.createStateConfig({
  on: {
    CANCEL: [
      {
        guard: 'hasStanding',
        actions: [{ type: 'accept', params: ({ context, event }) => decide(context, event) }, 'relayCancel'],
      },
      { actions: { type: 'refuse', params: ({ context, event }) => decide(context, event) } },
    ],
    SHIELD_ENDED: { actions: [{ type: 'stopDeferred', params: ({ event }) => event.plan }, 'relayCancel'] },
    SPAWN: [{ guard: 'isCut', actions: ['openTurn', 'cancelSpawned'] }, { actions: ['openTurn', 'admitNext'] }],
    ANSWER: [
      {
        guard: and(['isOpenQuestion', 'needsQuestion']),
        actions: { type: 'refuseAnswer', params: ({ event }) => ({ code: 'question_required', event }) },
      },
      {
        guard: and(['isOpenQuestion', 'isAddressed']),
        actions: { type: 'closeQuestion', params: ({ event }) => event },
      },
      {
        guard: 'isOpenQuestion',
        actions: { type: 'refuseAnswer', params: ({ event }) => ({ code: 'not_addressed', event }) },
      },
      { actions: { type: 'refuseAnswer', params: ({ event }) => ({ code: 'expired', event }) } },
    ],
    OUTCOME: { actions: ['settleTurn', 'admitNext'] },
    TURN_GONE: { actions: 'forgetTurn' },
    NODE_CRASHED: { actions: { type: 'unwindCrash', params: ({ event }) => event.node } },
    'xstate.error.actor.*': { actions: [] },
  },
});

export const sessionMachine = base.createMachine({
  id: 'session',
  context: ({ input }) => ({ ...input, turns: [] }),
  initial: 'recovering',
  states: {
    recovering: {
      meta: { CANCEL: 'waits: events are sent when recovery is over, and nothing lives before that' },
      invoke: { id: 'recover', src: 'recover', input: {}, onDone: 'open', onError: 'closed' },
    },
    open: {
      on: {
        ...alive.on,
        SAY: [
          {
            guard: 'isRejected',
            actions: { type: 'refuseSay', params: ({ event }) => ({ code: 'turn_running', event }) },
          },
          {
            guard: 'laneIsFull',
            actions: { type: 'refuseSay', params: ({ event }) => ({ code: 'lane_full', event }) },
          },
          { actions: [{ type: 'confirmSay', params: ({ event }) => event }, 'openTurn', 'admitNext'] },
        ],
        CLOSE: 'closing',
      },
    },
    closing: {
      always: { guard: 'allSettled', target: 'closed' },
      on: {
        ...alive.on,
        SAY: { actions: { type: 'refuseSay', params: ({ event }) => ({ code: 'session_closing', event }) } },
      },
    },
    closed: {
      meta: { CANCEL: 'nothing lives any more: the reply comes from the log' },
      type: 'final',
    },
  },
});
