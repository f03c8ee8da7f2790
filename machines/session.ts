// The session's chart: the only one that decides. It queues turns in their lanes, judges each CANCEL once, and closes in order.
//
// 1. One plan for each CANCEL, computed once: the same verdicts drive the cut, the receipt and the machines.
// 2. In a lane the next turn is admitted after the outcome of the one before was reported, which is after its commit.
// 3. Its events are sent on a fresh stack, with the live tree read into them; none is sent while it is `recovering`.
import { and, enqueueActions, setup } from 'xstate';
import { type Judgment, judgeCancel, type Plan, planFor } from './cancel.ts';
import type { AnswerCode, RefusalCode } from './codes.ts';
import { linkChild, recoverWorker } from './contracts.ts';
import { decisionFact } from './decision.ts';
import type { CancelDecided, QueuedInput } from './facts.ts';
import { isLaneFull, isRejected, type Lanes, queueOf, type RootTurn } from './lanes.ts';
import { resumeRefusal } from './resume.ts';
import {
  type AnswerEvent,
  cancelIn,
  type SayEvent,
  type SessionCancelEvent,
  type SessionEvent,
} from './session-events.ts';
import { answersByRole, type StandingRule } from './standing.ts';
import type { NodeId, Policy } from './vocabulary.ts';

export interface SessionInput extends Pick<Lanes, 'laneLimit' | 'whileRunning'> {
  readonly policy: Policy;
  /** Who may stop what, if the embedder has a rule of its own. */
  readonly standing?: StandingRule | undefined;
}

export interface SessionContext extends SessionInput {
  readonly turns: readonly RootTurn[];
}

const judgments = new WeakMap<SessionCancelEvent, Judgment>();

/** Judges a CANCEL. The guard and the actions of one transition share the result. */
function judge({ policy, standing }: SessionContext, event: SessionCancelEvent): Judgment {
  const known = judgments.get(event);
  if (known) return known;
  const judgment = judgeCancel(event.command, event, event.evidence, policy, standing);
  judgments.set(event, judgment);
  return judgment;
}

/** A CANCEL with its plan, and the record of the decision; null: the decision needs no record. */
export interface DecidedCancel {
  readonly plan: Plan;
  readonly event: SessionCancelEvent;
  readonly decision: CancelDecided | null;
  /** What becomes of the words that wait in the lanes of the turns that are stopped. */
  readonly queue: readonly QueuedInput[];
}

/** A SAY whose words are a stop phrase, and the decision on them as a CANCEL. */
export interface DecidedPhrase {
  readonly say: SayEvent;
  readonly decided: DecidedCancel;
}

function decide(context: SessionContext, event: SessionCancelEvent): DecidedCancel {
  const { plan, verdicts } = judge(context, event);
  const { policy, standing: customRule } = context;
  const { command, evidence } = event;
  const decision = decisionFact(command, command.cancel, { evidence, policy, customRule, verdicts });
  return { plan, event, decision, queue: queueOf(context, plan) };
}

const decidePhrase = (context: SessionContext, say: SayEvent): DecidedPhrase | null =>
  say.stop ? { say, decided: decide(context, say.stop) } : null;

/** Why a RESUME opens no turn; null: it opens one, or the event is none. */
const refusalOf = (event: SessionEvent): RefusalCode | null =>
  event.type === 'SAY' && event.resumption ? resumeRefusal(event.resumption) : null;

const base = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionEvent,
    input: {} as SessionInput,
  },
  actors: { link: linkChild, recover: recoverWorker },
  guards: {
    /** The speaker may stop at least one node at or below the target. */
    hasStanding: ({ context, event }) => {
      const cancel = cancelIn(event);
      return cancel !== null && judge(context, cancel).hasStanding;
    },
    isNotResumable: ({ event }) => refusalOf(event) !== null,
    isOverShare: ({ event }) => event.type === 'SAY' && event.isOverShare === true,
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
    /** Accepts the CANCEL that a stop phrase stands for, and replies to its SAY. */
    acceptPhrase: (_, _phrase: DecidedPhrase | null) => {},
    /** Records that a stop phrase stopped nothing: its words are an ordinary message. */
    recordPhrase: (_, _phrase: DecidedPhrase | null) => {},
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
      const cancel = cancelIn(event);
      const plan = cancel ? judge(context, cancel).plan : event.type === 'SHIELD_ENDED' ? event.plan : null;
      if (plan === null) return;
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
            guard: 'hasStanding',
            actions: [
              { type: 'acceptPhrase', params: ({ context, event }) => decidePhrase(context, event) },
              'relayCancel',
            ],
          },
          {
            guard: 'isNotResumable',
            actions: {
              type: 'refuseSay',
              params: ({ event }) => ({ code: refusalOf(event) ?? 'unknown_turn', event }),
            },
          },
          {
            guard: 'isOverShare',
            actions: { type: 'refuseSay', params: ({ event }) => ({ code: 'too_many_turns', event }) },
          },
          {
            guard: 'isRejected',
            actions: { type: 'refuseSay', params: ({ event }) => ({ code: 'turn_running', event }) },
          },
          {
            guard: 'laneIsFull',
            actions: { type: 'refuseSay', params: ({ event }) => ({ code: 'lane_full', event }) },
          },
          {
            actions: [
              { type: 'recordPhrase', params: ({ context, event }) => decidePhrase(context, event) },
              { type: 'confirmSay', params: ({ event }) => event },
              'openTurn',
              'admitNext',
            ],
          },
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
