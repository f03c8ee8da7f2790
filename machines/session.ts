// The session's chart: the only one that decides. It queues turns in their lanes, judges each CANCEL once, and closes in order.
//
// 1. One plan for each CANCEL, made once and carried by its event: the same verdicts drive the cut, the receipt and the machines.
// 2. In a lane the next turn is admitted after the outcome of the one before was reported, which is after its commit; and after each receipt that stops a turn
//    of the lane has settled. A receipt never waits for a turn that has not been admitted: such a turn is stopped at once, or not at all.
// 3. Its events are sent on a fresh stack, with the live tree read into them; none is sent while it is `recovering`.
import { and, assign, enqueueActions, setup } from 'xstate';
import { decisionFact, type Plan, planFor } from './cancel.ts';
import type { AnswerCode, RefusalCode } from './codes.ts';
import { type LinkInput, linkChild, recoverWorker } from './contracts.ts';
import type { CancelDecided, QueuedInput } from './facts.ts';
import {
  type DeferredInput,
  heldLanesOf,
  insertTurn,
  isBusy,
  isHeld,
  isLaneFree,
  isLaneFull,
  isRejected,
  type Lanes,
  type OpenStop,
  queueOf,
  type RootTurn,
} from './lanes.ts';
import { resumeRefusal } from './resume.ts';
import type {
  AcknowledgeEvent,
  AnswerEvent,
  OpenCallEvent,
  SaidEvent,
  SessionCancelEvent,
  SessionEvent,
  SteerEvent,
} from './session-events.ts';
import { answersByRole, type StandingRule } from './standing.ts';
import { decideSteer } from './steer.ts';
import type { NodeId, Policy } from './vocabulary.ts';

export interface SessionInput extends Pick<Lanes, 'laneLimit' | 'whileRunning'> {
  readonly policy: Policy;
  /** Who may stop what, if the embedder has a rule of its own. */
  readonly standing?: StandingRule | undefined;
}

export interface SessionContext extends SessionInput {
  readonly turns: readonly RootTurn[];
  readonly inputs: readonly DeferredInput[];
  /** In the order of their acceptances. */
  readonly stops: readonly OpenStop[];
  /** The number of turns and inputs that have arrived. */
  readonly arrivals: number;
}

/** A CANCEL with its plan, and the record of the decision; null: the decision needs no record. */
export interface DecidedCancel {
  readonly plan: Plan;
  readonly event: SessionCancelEvent;
  readonly decision: CancelDecided | null;
  /** What becomes of the words that wait in the lanes of the turns that are stopped, and in these turns. */
  readonly queue: readonly QueuedInput[];
}

/** Words that are a stop phrase, and the decision on them as a CANCEL. */
export interface DecidedPhrase {
  readonly say: SaidEvent;
  readonly decided: DecidedCancel;
}

/** Returns the words in an event; null: it has none. */
const saidIn = (event: SessionEvent): SaidEvent | null =>
  event.type === 'SAY' || event.type === 'STEER' ? event : null;

/** Returns the CANCEL in an event: its own, or that of a stop phrase; null: it has none. */
const cancelIn = (event: SessionEvent): SessionCancelEvent | null => {
  if (event.type === 'CANCEL') return event;
  return saidIn(event)?.stop ?? null;
};

/** Returns the turn that an event opens, with its lane, as far as the event alone says so; null: it opens none. */
const openingIn = (event: SessionEvent): { readonly turn: LinkInput; readonly lane: string | null } | null => {
  if (event.type === 'SPAWN' || event.type === 'OPEN_CALL') return { turn: event.turn, lane: null };
  return event.type === 'ACKNOWLEDGE' ? event : saidIn(event);
};

function decide(context: SessionContext, event: SessionCancelEvent): DecidedCancel {
  const { policy, standing: customRule } = context;
  const { command, evidence, judgment } = event;
  const { plan, verdicts } = judgment;
  const decision = decisionFact(command, command.cancel, { evidence, policy, customRule, verdicts });
  return { plan, event, decision, queue: queueOf(context, plan) };
}

/** Why a RESUME opens no turn; null: it opens one, or the event is none. */
const resumeRefusalOf = (event: SessionEvent): RefusalCode | null =>
  event.type === 'SAY' && event.resumption ? resumeRefusal(event.resumption) : null;

/** The reply to a STEER that is refused. */
function steerRefusalOf(context: SessionContext, event: SteerEvent): { code: RefusalCode; event: SteerEvent } {
  const decision = decideSteer(context, event);
  return { code: decision.kind === 'refuse' ? decision.code : 'not_steerable', event };
}

const turnOfInput = ({ id, said, arrival }: DeferredInput): RootTurn => ({
  id,
  owner: said.turn.owner,
  lane: said.lane,
  admitted: false,
  settled: false,
  arrival,
});

const base = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionEvent,
    input: {} as SessionInput,
  },
  actors: { link: linkChild, recover: recoverWorker },
  guards: {
    /** The speaker may stop at least one node at or below the target. */
    hasStanding: ({ event }) => cancelIn(event)?.judgment.hasStanding === true,
    isNotResumable: ({ event }) => resumeRefusalOf(event) !== null,
    isOverShare: ({ event }) => saidIn(event)?.isOverShare === true,
    laneIsFull: ({ context, event }) => {
      const said = saidIn(event);
      return said !== null && isLaneFull(context, said);
    },
    isRejected: ({ context, event }) => {
      const said = saidIn(event);
      return said !== null && isRejected(context, said);
    },
    isRefusedSteer: ({ context, event }) => event.type === 'STEER' && decideSteer(context, event).kind === 'refuse',
    /** A turn runs that the words are for. */
    steersTurn: ({ context, event }) => event.type === 'STEER' && decideSteer(context, event).kind === 'defer',
    /** An acknowledgement waits for nothing: it comes at once, or not at all. */
    isLaneFree: ({ context, event }) => event.type === 'ACKNOWLEDGE' && isLaneFree(context, event),
    isCut: ({ event }) => event.type === 'SPAWN' && event.cut !== null,
    isOpenQuestion: ({ event }) =>
      event.type === 'ANSWER' &&
      event.open !== null &&
      (event.answer === 'cannot_ask' || (event.open.kind === 'question') === (event.answer === 'answered')) &&
      (event.question === null || event.question === event.open.id),
    /** An answer without an id may have been meant for the question before: it counts for the first one only. */
    needsQuestion: ({ event }) => event.type === 'ANSWER' && event.question === null && event.open?.isFirst === false,
    mayAnswer: ({ event }) => event.type === 'ANSWER' && (event.open?.to === event.by.id || answersByRole(event.by)),
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
    confirmSay: (_, _event: SaidEvent) => {},
    /** Writes `input_deferred`, puts the input into the live tree, and replies after the commit. */
    confirmInput: (_, _input: DeferredInput) => {},
    /** Writes that an input opens a turn, because the one that it was for has settled. */
    queueInput: (_, _input: DeferredInput) => {},
    /** Replies to a SAY that opens no turn. */
    refuseSay: (_, _params: { readonly code: RefusalCode; readonly event: SaidEvent }) => {},
    /** Writes `turn_opened` of an acknowledgement, and starts its deadline. */
    openAcknowledgement: (_, _event: AcknowledgeEvent) => {},
    /** Writes `turn_opened` of a call that somebody else runs, and replies after its commit. */
    confirmCall: (_, _event: OpenCallEvent) => {},
    /** Replies to an OPEN_CALL that opens no call. */
    refuseCall: (_, _event: OpenCallEvent) => {},
    /** Closes the question: one answer wins. */
    closeQuestion: (_, _event: AnswerEvent) => {},
    refuseAnswer: (_, _params: { readonly code: AnswerCode; readonly event: AnswerEvent }) => {},
    /** Unwinds the nodes below a machine that threw; its OUTCOME follows when the closing has committed. */
    unwindCrash: (_, _node: NodeId) => {},
    /** Stops what was deferred. */
    stopDeferred: (_, _plan: Plan) => {},
    relayCancel: enqueueActions(({ enqueue, context, event }) => {
      const plan = event.type === 'SHIELD_ENDED' ? event.plan : cancelIn(event)?.judgment.plan;
      if (!plan) return;
      for (const { id } of context.turns) enqueue.sendTo(id, { type: 'CANCEL', plan });
      // a stopped input has its fate with the acceptance
      enqueue.assign({ inputs: context.inputs.filter(({ id }) => !plan.stop.has(id)) });
    }),
    /** Holds the lanes of the turns that a CANCEL stops until its receipt has settled. */
    holdLanes: assign(({ context, event }) => {
      const cancelled = cancelIn(event);
      if (!cancelled || cancelled.repeats !== null) return {};
      const lanes = heldLanesOf(context.turns, cancelled.judgment.plan);
      return lanes.size === 0 ? {} : { stops: [...context.stops, { cancel: cancelled.command.cancel, lanes }] };
    }),
    releaseLanes: assign(({ context, event }) =>
      event.type === 'STOP_SETTLED' ? { stops: context.stops.filter(({ cancel }) => cancel !== event.cancel) } : {},
    ),
    forgetInput: assign(({ context, event }) =>
      event.type === 'INPUT_CONSUMED' ? { inputs: context.inputs.filter(({ id }) => id !== event.input) } : {},
    ),
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
    /** Admits the first turn of each lane in which none runs, and none is being stopped. */
    admitNext: enqueueActions(({ enqueue, context }) => {
      const waiting = context.turns.filter(({ settled }) => !settled);
      const isFirst = (turn: RootTurn) => turn.lane === null || waiting.find(({ lane }) => lane === turn.lane) === turn;
      // the first is not always the one that runs: what an input opens may come before it
      const isClosed = (lane: string) => isBusy(waiting, lane) || isHeld(context.stops, lane);
      const next = waiting.filter(
        (turn) => !turn.admitted && isFirst(turn) && !(turn.lane !== null && isClosed(turn.lane)),
      );
      for (const { id } of next) enqueue.sendTo(id, { type: 'ADMIT' });
      enqueue.assign({
        turns: context.turns.map((turn) => (next.includes(turn) ? { ...turn, admitted: true } : turn)),
      });
    }),
    openTurn: enqueueActions(({ enqueue, context, event }) => {
      const opening = openingIn(event);
      if (!opening) return;
      const { turn, lane } = opening;
      const { id, owner } = turn;
      const arrival = context.arrivals;
      const kind = event.type === 'ACKNOWLEDGE' ? ({ isAcknowledgement: true } as const) : {};
      enqueue.spawnChild('link', { id, input: turn });
      enqueue.assign({
        turns: [...context.turns, { id, owner, lane, ...kind, admitted: false, settled: false, arrival }],
        arrivals: arrival + 1,
      });
    }),
    /** Cancels a detached agent that was cut before the session opened its turn. */
    cancelSpawned: enqueueActions(({ enqueue, event }) => {
      if (event.type !== 'SPAWN' || !event.cut) return;
      enqueue.sendTo(event.turn.id, { type: 'CANCEL', plan: planFor(event.turn.id, event.cut) });
    }),
  },
});

const chart = base.extend({
  actions: {
    deferInput: base.enqueueActions(({ enqueue, context, event }) => {
      const decision = event.type === 'STEER' ? decideSteer(context, event) : null;
      if (event.type !== 'STEER' || decision?.kind !== 'defer') return;
      const arrival = context.arrivals;
      const input = { id: event.turn.id, steers: decision.steers, said: event, arrival };
      enqueue({ type: 'confirmInput', params: input });
      enqueue.assign({ inputs: [...context.inputs, input], arrivals: arrival + 1 });
    }),
    /** Opens a turn for each input that a settled turn has left, in its place in the lane. */
    openInputs: base.enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'OUTCOME') return;
      const left = context.inputs.filter(({ steers }) => steers === event.node);
      for (const input of left) {
        enqueue({ type: 'queueInput', params: input });
        enqueue.spawnChild('link', { id: input.id, input: input.said.turn });
      }
      enqueue.assign({
        inputs: context.inputs.filter((input) => !left.includes(input)),
        turns: left.map(turnOfInput).reduce(insertTurn, context.turns),
      });
    }),
  },
});

interface SaidArgs {
  readonly context: SessionContext;
  readonly event: SaidEvent;
}

const phraseOf = ({ context, event: say }: SaidArgs): DecidedPhrase | null =>
  say.stop ? { say, decided: decide(context, say.stop) } : null;
const refusal = (code: RefusalCode) =>
  ({ type: 'refuseSay', params: ({ event }: { readonly event: SaidEvent }) => ({ code, event }) }) as const;

const stoppedByPhrase = {
  guard: 'hasStanding',
  actions: [{ type: 'acceptPhrase', params: phraseOf }, 'holdLanes', 'relayCancel'],
} as const;
const tooManyTurns = { guard: 'isOverShare', actions: refusal('too_many_turns') } as const;
const recorded = { type: 'recordPhrase', params: phraseOf } as const;
/** The last rows of words that stop nothing and steer nothing. */
const opening = [
  { guard: 'isRejected', actions: refusal('turn_running') },
  { guard: 'laneIsFull', actions: refusal('lane_full') },
  {
    actions: [
      recorded,
      { type: 'confirmSay', params: ({ event }: { readonly event: SaidEvent }) => event },
      'openTurn',
      'admitNext',
    ],
  },
] as const;

/** The transitions of a session as long as it has turns: while it is open, and while it closes. */
const alive = chart.createStateConfig({
  on: {
    CANCEL: [
      {
        guard: 'hasStanding',
        actions: [
          { type: 'accept', params: ({ context, event }) => decide(context, event) },
          'holdLanes',
          'relayCancel',
        ],
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
        guard: and(['isOpenQuestion', 'mayAnswer']),
        actions: { type: 'closeQuestion', params: ({ event }) => event },
      },
      {
        guard: 'isOpenQuestion',
        actions: { type: 'refuseAnswer', params: ({ event }) => ({ code: 'not_addressed', event }) },
      },
      { actions: { type: 'refuseAnswer', params: ({ event }) => ({ code: 'expired', event }) } },
    ],
    INPUT_CONSUMED: { actions: 'forgetInput' },
    OUTCOME: { actions: ['settleTurn', 'openInputs', 'admitNext'] },
    STOP_SETTLED: { actions: ['releaseLanes', 'admitNext'] },
    TURN_GONE: { actions: 'forgetTurn' },
    NODE_CRASHED: { actions: { type: 'unwindCrash', params: ({ event }) => event.node } },
    'xstate.error.actor.*': { actions: [] },
  },
});

export const sessionMachine = chart.createMachine({
  id: 'session',
  meta: { BARGE_IN: 'not applicable: the machine of the speech beside it decides (machines/speech.ts)' },
  context: ({ input }) => ({ ...input, turns: [], inputs: [], stops: [], arrivals: 0 }),
  initial: 'recovering',
  states: {
    recovering: {
      meta: {
        CANCEL: 'waits: events are sent when recovery is over, and nothing lives before that',
        STEER: 'waits: events are sent when recovery is over',
      },
      invoke: { id: 'recover', src: 'recover', input: {}, onDone: 'open', onError: 'closed' },
    },
    open: {
      on: {
        ...alive.on,
        SAY: [
          stoppedByPhrase,
          {
            guard: 'isNotResumable',
            actions: {
              type: 'refuseSay',
              params: ({ event }) => ({ code: resumeRefusalOf(event) ?? 'unknown_turn', event }),
            },
          },
          tooManyTurns,
          ...opening,
        ],
        STEER: [
          stoppedByPhrase,
          tooManyTurns,
          {
            guard: 'isRefusedSteer',
            actions: { type: 'refuseSay', params: ({ context, event }) => steerRefusalOf(context, event) },
          },
          { guard: 'steersTurn', actions: [recorded, 'deferInput'] },
          ...opening,
        ],
        ACKNOWLEDGE: {
          guard: 'isLaneFree',
          actions: [{ type: 'openAcknowledgement', params: ({ event }) => event }, 'openTurn', 'admitNext'],
        },
        OPEN_CALL: { actions: [{ type: 'confirmCall', params: ({ event }) => event }, 'openTurn', 'admitNext'] },
        CLOSE: 'closing',
      },
    },
    closing: {
      always: { guard: 'allSettled', target: 'closed' },
      on: {
        ...alive.on,
        SAY: { actions: refusal('session_closing') },
        STEER: { actions: refusal('session_closing') },
        OPEN_CALL: { actions: { type: 'refuseCall', params: ({ event }) => event } },
      },
    },
    closed: {
      meta: {
        CANCEL: 'nothing lives any more: the reply comes from the log',
        STEER: 'cannot arrive: the session accepts no words any more',
      },
      type: 'final',
    },
  },
});
