// A session as a client has joined it: it outlives its connections, and tells each thing that happens there once.
//
// 1. A fact is told once, in order, over however many connections it comes.
// 2. An acceptance is told once, though it may come before its commit and again after it. An answer is told when it was waited for.
// 3. Nothing is sent before `joined` is known, so that what it leads to is never behind us.
import type { ServerFrame, ServerFrameOf, TextDelta } from '../protocol/server-frames.ts';
import type { AnswerOptions } from './answer.ts';
import type { CancelHandle, CancelOptions } from './cancel.ts';
import { createCommands } from './command-queue.ts';
import { createNews } from './deduplicate.ts';
import { CommandRefused, SessionEnded } from './errors.ts';
import type { Wire } from './frame-socket.ts';
import { handled } from './ignore-rejection.ts';
import { createAsked, type SayOptions } from './in-flight-requests.ts';
import { createListeners } from './listeners.ts';
import type { Refs } from './refs.ts';
import type { Turn } from './turn.ts';

export type { SayOptions } from './in-flight-requests.ts';

type FrameType = ServerFrame['type'];

export interface ClientSession {
  readonly id: string;
  /** Rejects with `CommandRefused`, `SessionEnded` or `ConnectionClosed`. */
  readonly joined: Promise<ServerFrameOf<'joined'>>;
  /** `away`: there is no connection, or it could not be joined yet over the one there is. */
  readonly state: 'away' | 'joining' | 'joined' | 'ended';
  /** The last fact that was heard: what `after` is when one comes back. */
  readonly seq: number;
  /** Open text blocks with the text so far. */
  readonly blocks: readonly TextDelta[];
  say(text: string, options?: SayOptions): Turn;
  /** A node id, `mine` or `session`. */
  cancel(target: string, options?: CancelOptions): CancelHandle;
  /**
   * Says yes to what a call asks for (`approval_requested`). Resolves with the fact that has closed it. Rejects as a cancel does; with
   * `CommandRefused`, code `expired`, when somebody or something was faster.
   */
  approve(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  /** Says no: the call does not run, and the turn goes on. */
  deny(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  /** Answers a question of a call (`question_asked`). */
  answer(call: string, text: string, options?: AnswerOptions): Promise<ServerFrameOf<'question_closed'>>;
  /** Hears frames of one type, or all of them (`*`), until the returned function is called. What was heard before is not told again. */
  on<T extends FrameType>(type: T, hear: (frame: ServerFrameOf<T>) => void): () => void;
  on(type: '*', hear: (frame: ServerFrame) => void): () => void;
  /** What was started runs on. */
  leave(): Promise<void>;
}

/** The client's side of it. */
export interface SessionFeed {
  readonly session: ClientSession;
  take(frame: ServerFrame): void;
  /** There is a connection: joins over it. */
  connected(): void;
  /** There is none any more. What waits goes on waiting. */
  lost(): void;
  fail(error: Error): void;
}

export interface SessionInput {
  readonly id: string;
  /** Facts behind that number are replayed; null: none. */
  readonly after: number | null;
  readonly refs: Refs;
  readonly wire: Pick<Wire, 'send'>;
  /** False: `connected` will be called. Left out: there is a connection, and it will be the only one. */
  readonly isConnected?: boolean;
  readonly whileDisconnected?: 'reject' | 'wait';
  /** Joining over a connection has failed in a way that may pass: calls `again` after a pause. Left out: the session has ended then. */
  later?(failures: number, again: () => void): void;
  /** The membership is over. */
  over(): void;
}

/** Why a session that was joined once may be joined again later: docs/errors.md. */
const passing: readonly string[] = ['unavailable', 'rate_limited', 'too_many_unanswered'];

export function createSession(input: SessionInput): SessionFeed {
  const { id, after, refs, wire, over } = input;
  const news = createNews(id, after);
  const commands = createCommands((frame) => wire.send(frame));
  const asked = createAsked({ session: id, refs, commands, whileDisconnected: input.whileDisconnected ?? 'reject' });
  const listeners = createListeners<ServerFrame>();
  const joined = Promise.withResolvers<ServerFrameOf<'joined'>>();
  const left = Promise.withResolvers<void>();
  handled(joined.promise, left.promise);
  let joinRef = '';
  let leaveRef: string | null = null;
  let failures = 0; // of joining, in a row
  let ended: Error | null = null;

  function tell(frames: readonly ServerFrame[]): void {
    for (const frame of frames) {
      asked.tell(frame);
      listeners.tell(frame.type, frame);
    }
  }

  function fail(error: Error): void {
    if (ended) return;
    ended = error;
    joined.reject(error);
    left.reject(error);
    asked.end(error);
  }

  // -- joining

  function connected(): void {
    if (ended) return;
    joinRef = refs();
    const from = news.after;
    wire.send({ type: 'JOIN', ref: joinRef, session: id, ...(from !== null && { after: from }) });
    commands.enter('joining');
  }

  function lost(): void {
    commands.enter('away');
    if (leaveRef !== null) finishLeaving(); // the membership has ended with its connection
  }

  function takeJoined(frame: ServerFrameOf<'joined'>): void {
    if (frame.ref !== joinRef || news.hasJoined(joinRef)) return;
    failures = 0;
    if (news.isOtherLog(frame)) {
      asked.lose(new SessionEnded('other_log'));
      news.forget();
      wire.send({ type: 'LEAVE', ref: refs(), session: id });
      return connected();
    }
    tell(news.joined(frame));
    joined.resolve(frame);
    if (!commands.isUnsure) commands.enter('joined');
  }

  function takeReplayed(frame: ServerFrameOf<'replayed'>): void {
    if (frame.ref !== joinRef || !news.isReplaying) return;
    tell(news.replayed(frame));
    commands.enter('joined');
  }

  /** It could not be joined, or is not any more. */
  function notJoined(error: Error, mayPass: boolean): void {
    if (!input.later || !news.wasJoined || !mayPass) {
      fail(error);
      return over();
    }
    failures += 1;
    commands.enter('away');
    const failed = joinRef;
    input.later(failures, () => {
      if (joinRef === failed && commands.standing === 'away') connected();
    });
  }

  // -- leaving

  function finishLeaving(): void {
    left.resolve();
    fail(new SessionEnded('left'));
    over();
  }

  function takeLeft(frame: ServerFrameOf<'left'>): void {
    if (frame.ref !== undefined) {
      if (frame.ref !== leaveRef) return;
      tell([frame]);
      return finishLeaving();
    }
    if (leaveRef !== null) return finishLeaving();
    if (commands.standing === 'away') return;
    tell([frame]);
    notJoined(new SessionEnded(frame.reason ?? 'left'), true);
  }

  // -- frames

  function refuse(frame: ServerFrameOf<'error' | 'say_refused' | 'answer_refused'>): void {
    const { ref, code } = frame;
    const error = new CommandRefused(frame);
    if (ref === undefined) return tell([frame]);
    if (ref === leaveRef) return finishLeaving(); // it had ended by itself
    if (ref !== joinRef) {
      if (asked.refuse(ref, error)) tell([frame]);
      return;
    }
    // said of a JOIN that came twice: the first one has its answer
    if (code === 'already_joined' || news.hasJoined(ref)) return;
    tell([frame]);
    notJoined(error, passing.includes(code));
  }

  function take(frame: ServerFrame): void {
    if (ended) return;
    const isAwaited = asked.take(frame);
    switch (frame.type) {
      case 'joined':
        return takeJoined(frame);
      case 'replayed':
        return takeReplayed(frame);
      case 'left':
        return takeLeft(frame);
      case 'error':
      case 'say_refused':
      case 'answer_refused':
        return refuse(frame);
      case 'already_settled':
      case 'unknown_target':
        return isAwaited ? tell([frame]) : undefined;
      default:
        return tell(news.of(frame));
    }
  }

  type Approved = Promise<ServerFrameOf<'approval_closed'>>;
  type Answered = Promise<ServerFrameOf<'question_closed'>>;
  const session: ClientSession = {
    id,
    joined: joined.promise,
    get state() {
      return ended ? 'ended' : commands.standing;
    },
    get seq() {
      return news.seq;
    },
    get blocks() {
      return news.blocks;
    },
    say: asked.say,
    cancel: asked.cancel,
    approve: (call, options) => asked.answer(call, { type: 'APPROVE' }, options) as Approved,
    deny: (call, options) => asked.answer(call, { type: 'DENY' }, options) as Approved,
    answer: (call, text, options) => asked.answer(call, { type: 'ANSWER', text }, options) as Answered,
    on: (type: string, hear: (frame: never) => void) => listeners.on(type, hear),
    leave() {
      if (ended || leaveRef !== null) return left.promise;
      leaveRef = refs();
      if (commands.standing === 'away') finishLeaving();
      else wire.send({ type: 'LEAVE', ref: leaveRef, session: id });
      return left.promise;
    },
  };
  if (input.isConnected ?? true) connected();
  return { session, take, connected, lost, fail };
}
