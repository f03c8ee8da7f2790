// One session of one connection, from JOIN to its end: the commands that go in, and what is heard.
//
// 1. A command waits until the session is joined, and is handed over in the order in which it came.
// 2. After its end nothing of it is sent, and the runtime has heard `leave` when it had heard `join`.

import type { Leaving } from '../../machines/connection.ts';
import type { CancelAccepted, SequencedFact } from '../../machines/facts.ts';
import type { Speaker } from '../../machines/vocabulary.ts';
import type { AnsweringFrame, CancelFrame, JoinFrame, LeaveFrame, SayFrame } from '../protocol/client-frames.ts';
import { closeCodes } from '../protocol/close-codes.ts';
import { encodeFrame } from '../protocol/codec.ts';
import { type FrameProblem, problem } from '../protocol/errors.ts';
import type { ServerFrame } from '../protocol/server-frames.ts';
import type { Runtime, SessionEnd, SessionListener } from '../session/api.ts';
import type { Outbox } from './outbox.ts';
import {
  acceptedFrame,
  answerReplyFrame,
  answerRequestOf,
  callerOf,
  cancelReplyFrame,
  cancelRequestOf,
  factFrame,
  joinedFrame,
  outputFrame,
  repeatedSettledFrame,
  sayReplyFrame,
  textFrame,
} from './translate.ts';

export interface MembershipInput {
  readonly runtime: Runtime;
  readonly connection: string;
  readonly speaker: Speaker;
  readonly join: JoinFrame;
  readonly outbox: Outbox;
  /** The end of an earlier membership in the same session. */
  readonly after: Promise<void>;
  /** Answers by an error. */
  refuse(frame: { readonly ref: string }, why: FrameProblem): void;
  /** It never came to be (null), or the session has ended. */
  over(because: SessionEnd | null): void;
  /** Something threw that must not. */
  report(error: unknown): void;
}

/** None of these promises rejects. */
export interface Membership {
  /** Resolves when JOIN has its answer. */
  readonly answered: Promise<void>;
  /** Resolves when the command has its answer. */
  say(frame: SayFrame): Promise<void>;
  cancel(frame: CancelFrame): Promise<void>;
  answer(frame: AnsweringFrame): Promise<void>;
  leave(frame: LeaveFrame): Promise<void>;
  /** The connection is no good any more: nothing is answered. */
  end(how: Leaving): Promise<void>;
}

export function createMembership(input: MembershipInput): Membership {
  const { runtime, connection, speaker, join, outbox } = input;
  const { session: id } = join;
  const { promise: ready, resolve: settleReady } = Promise.withResolvers<boolean>();
  let state: 'opening' | 'joined' | 'over' = 'opening';
  /** Whether `join` has been called. */
  let entered = false;

  const send = (frame: ServerFrame) => outbox.frame(encodeFrame(frame));

  function listener(): SessionListener {
    const hears =
      <T>(hear: (event: T) => void) =>
      (event: T): void => {
        if (state === 'joined') hear(event);
      };
    return {
      joined(joined) {
        if (state !== 'opening') return;
        state = 'joined';
        send(joinedFrame(join.ref, joined));
        settleReady(true);
      },
      replayed() {
        if (state === 'joined') send({ type: 'replayed', ref: join.ref, session: id });
      },
      room: () => (state === 'joined' ? outbox.room() : null),
      fact: hears((event: SequencedFact) => {
        const { fact } = event;
        if (fact.type === 'model_ended') outbox.dropBlock(id, fact.turn, fact.index);
        if (fact.type === 'cancel_accepted') outbox.dropTurns(id, fact.stopping);
        const frame = factFrame(id, event);
        if (frame) send(frame);
      }),
      accepted: hears((receipt: CancelAccepted) => {
        outbox.dropTurns(id, receipt.stopping);
        send(acceptedFrame(id, receipt));
      }),
      text: hears((delta) => outbox.text(textFrame(id, delta))),
      output: hears((delta) => outbox.output(outputFrame(id, delta))),
      progress: hears((progress) => send({ type: 'tool_progress', session: id, ...progress })),
      ended: finish,
    };
  }

  /** The session has ended, not the membership alone. */
  function finish(reason: SessionEnd): void {
    if (state === 'over') return;
    if (state === 'opening') return fail(new Error(closeCodes[reason].message));
    state = 'over';
    outbox.dropSession(id);
    send({ type: 'left', session: id, reason });
    input.over(reason);
  }

  async function open(): Promise<void> {
    await input.after;
    await runtime.open(id);
    if (state === 'over') return;
    entered = true;
    await runtime.join(id, { speaker, connection }, listener(), join.after ?? null);
  }

  function fail(error: unknown): void {
    if (state === 'over') return;
    // the replay broke off: the client would miss facts without knowing
    if (state === 'joined') {
      if (entered) runtime.leave(id, connection, 'lost').catch(input.report);
      return finish('store_failed');
    }
    state = 'over';
    const message = error instanceof Error ? error.message : String(error);
    input.refuse(join, problem('unavailable', { message: `The session could not be joined: ${message}` }));
    settleReady(false);
    input.over(null);
  }

  /** Hands a command over once the session is joined; what the runtime rejects is answered too. */
  async function hand(frame: SayFrame | CancelFrame | AnsweringFrame, act: () => Promise<void>): Promise<void> {
    const isJoined = await ready;
    if (!isJoined || state === 'over') return input.refuse(frame, problem('not_joined'));
    try {
      await act();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      input.refuse(frame, problem('unavailable', { message: `The session did not take this: ${message}` }));
    }
  }

  const opening = open().catch(fail);

  return {
    answered: Promise.race([opening, ready.then(() => {})]),

    say: (frame) =>
      hand(frame, async () => {
        const answer = await runtime.say(id, callerOf(connection, speaker, frame.as), {
          text: frame.text,
          ref: frame.ref,
        });
        const told = sayReplyFrame(id, frame, answer);
        if (told) send(told);
      }),

    cancel: (frame) =>
      hand(frame, async () => {
        const answer = await runtime.cancel(id, callerOf(connection, speaker, frame.as), cancelRequestOf(frame));
        const told = cancelReplyFrame(id, frame, answer);
        if (told) send(told);
        if (answer.type !== 'cancel_accepted' || !answer.repeated) return;
        runtime.settled(id, answer.receipt.cancel).then((settled) => {
          if (settled && state === 'joined') send(repeatedSettledFrame(id, frame, settled));
        }, input.report);
      }),

    answer: (frame) =>
      hand(frame, async () => {
        const answer = await runtime.answer(id, callerOf(connection, speaker, frame.as), answerRequestOf(frame));
        const told = answerReplyFrame(id, frame, answer);
        if (told) send(told);
      }),

    async leave({ ref }) {
      const isJoined = await ready;
      if (!isJoined || state === 'over') return input.refuse({ ref }, problem('not_joined'));
      state = 'over';
      outbox.dropSession(id);
      runtime.leave(id, connection, 'left').catch(input.report);
      send({ type: 'left', ref, session: id });
    },

    async end(how) {
      if (state === 'over') return;
      const before = state;
      state = 'over';
      settleReady(false);
      // opening: it may be joining at this moment, and `leave` would come too early. Joined: the runtime may be speaking to it at this moment
      await (before === 'opening' ? opening : null);
      if (entered) await runtime.leave(id, connection, how);
    },
  };
}
