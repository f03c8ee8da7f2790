// A session as a client has joined it: what is said and stopped goes out, every frame of it comes in here; it outlives its connections.
//
// 1. A fact is told once, in order, over however many connections it comes.
// 2. An acceptance is told once, though it may come before its commit and again after it. An answer is told when it was waited for.
// 3. Nothing is sent before `joined` is known, so that what it leads to is never behind us.
import type { ServerFrame, ServerFrameOf, TextPiece } from '../protocol/frames.ts';
import { type AnswerFeed, type AnswerOptions, type Closed, createAnswer } from './answer.ts';
import { type CancelFeed, type CancelHandle, type CancelOptions, createCancel } from './cancel.ts';
import { type Command, createCommands } from './commands.ts';
import { CommandRefused, NotConnected, SessionEnded } from './errors.ts';
import { handled } from './handled.ts';
import { createListeners } from './listeners.ts';
import { createNews } from './news.ts';
import type { Refs } from './refs.ts';
import { createTurn, type Turn, type TurnFeed } from './turn.ts';
import type { Wire } from './wire.ts';

export interface SayOptions {
  /** Bridges only: whose words these are. */
  readonly as?: string;
  /** Aborting it cancels the turn, whatever has become of it by then. */
  readonly signal?: AbortSignal;
  /** Leaving a loop over the turn before its end cancels it. */
  readonly cancelOnBreak?: boolean;
  /** Without a connection: fail at once (`reject`), or go out when there is one again (`wait`). Default: the client's. */
  readonly whileDisconnected?: 'reject' | 'wait';
}

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
  readonly blocks: readonly TextPiece[];
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

/** Commands that may wait for a connection. */
const maxWaiting = 64;

/** Why a session that was joined once may be joined again later: docs/errors.md. */
const passing: readonly string[] = ['unavailable', 'rate_limited', 'too_many_unanswered'];

type Refused = ServerFrameOf<'error' | 'say_refused' | 'answer_refused'>;

export function createSession(input: SessionInput): SessionFeed {
  const { id, after, refs, wire, over } = input;
  const news = createNews(id, after);
  const commands = createCommands((frame) => wire.send(frame));
  const turns = new Map<string, TurnFeed>();
  const cancels = new Map<string, CancelFeed>();
  const answers = new Map<string, AnswerFeed>();
  const listeners = createListeners<ServerFrame>();
  const joined = Promise.withResolvers<ServerFrameOf<'joined'>>();
  const left = Promise.withResolvers<void>();
  handled(joined.promise, left.promise);
  let joinRef = '';
  let leaveRef: string | null = null;
  let failures = 0; // of joining, in a row
  let ended: Error | null = null;

  // -- joining

  function connected(): void {
    if (ended) return;
    joinRef = refs();
    const from = news.after;
    wire.send({ type: 'JOIN', ref: joinRef, session: id, ...(from !== null && { after: from }) });
    commands.enter('joining');
  }

  function takeJoined(frame: ServerFrameOf<'joined'>): void {
    if (frame.ref !== joinRef || news.hasJoined(joinRef)) return;
    failures = 0;
    if (news.isOtherLog(frame)) {
      settle(new SessionEnded('other_log'), (ref) => commands.stateOf(ref) !== 'unsent');
      news.forget();
      wire.send({ type: 'LEAVE', ref: refs(), session: id });
      return connected();
    }
    const isReplaying = news.after !== null;
    tellAll(news.joined(frame));
    joined.resolve(frame);
    if (!isReplaying) commands.enter('joined');
  }

  function takeReplayed(frame: ServerFrameOf<'replayed'>): void {
    if (frame.ref !== joinRef || commands.standing !== 'joining') return;
    tellAll(news.replayed(frame));
    commands.enter('joined');
  }

  /** It could not be joined, or is not any more. */
  function refusedJoin(error: Error, mayPass: boolean): void {
    if (!input.later || !news.wasJoined || !mayPass) {
      joined.reject(error);
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

  function finishLeaving(): void {
    left.resolve();
    fail(new SessionEnded('left'));
    over();
  }

  function lost(): void {
    commands.enter('away');
    if (leaveRef !== null) finishLeaving(); // the membership has ended with its connection
  }

  // -- frames

  function tellAll(frames: readonly ServerFrame[]): void {
    for (const frame of frames) {
      for (const [ref, turn] of turns) {
        turn.take(frame);
        if (turn.turn.id !== null) commands.close(ref);
        if (turn.isOver) turns.delete(ref);
      }
      listeners.tell(frame.type, frame);
    }
  }

  /** Finds the command that a frame answers. False: nobody waits for it. */
  function answer(frame: ServerFrame): boolean {
    let isAwaited = false;
    for (const [ref, cancel] of cancels) {
      const what = cancel.take(frame);
      if (what === 'nothing') continue;
      isAwaited = true;
      if (what !== 'heard') commands.close(ref);
      if (what === 'over') cancels.delete(ref);
    }
    for (const [ref, feed] of answers) {
      if (!feed.take(frame)) continue;
      commands.close(ref);
      answers.delete(ref);
    }
    return isAwaited;
  }

  function refuse(frame: Refused): void {
    const { ref } = frame;
    const error = new CommandRefused(frame);
    if (ref !== undefined && ref === joinRef) {
      // said of a JOIN that came twice: the first one has its answer
      if (frame.code === 'already_joined' || news.hasJoined(ref)) return;
      refusedJoin(error, passing.includes(frame.code));
    } else if (ref !== undefined && ref === leaveRef) {
      return finishLeaving(); // it has ended by itself
    } else if (ref !== undefined) {
      const isOpen = commands.stateOf(ref) !== null;
      for (const waiting of [turns, cancels, answers]) {
        waiting.get(ref)?.fail(error);
        waiting.delete(ref);
      }
      commands.close(ref);
      if (!isOpen) return;
    }
    tellAll([frame]);
  }

  function take(frame: ServerFrame): void {
    if (ended) return;
    const isAwaited = answer(frame);
    switch (frame.type) {
      case 'joined':
        return takeJoined(frame);
      case 'replayed':
        return takeReplayed(frame);
      case 'error':
      case 'say_refused':
      case 'answer_refused':
        return refuse(frame);
      case 'already_settled':
      case 'unknown_target':
        return isAwaited ? tellAll([frame]) : undefined;
      case 'left':
        return takeLeft(frame);
      case 'turn_opened':
        // of a repeat the fact was told before, or is on its way; where it lies behind what was asked for, this is all that there is
        if (frame.repeated && !(frame.ref !== null && turns.get(frame.ref)?.turn.id === null)) return;
        return tellAll(news.of(frame));
      default:
        return tellAll(news.of(frame));
    }
  }

  function takeLeft(frame: ServerFrameOf<'left'>): void {
    if (frame.ref !== undefined) {
      if (frame.ref !== leaveRef) return;
      tellAll([frame]);
      return finishLeaving();
    }
    if (leaveRef !== null) return finishLeaving();
    if (commands.standing === 'away') return;
    tellAll([frame]);
    refusedJoin(new SessionEnded(frame.reason ?? 'left'), true);
  }

  // -- the end

  function settle(error: Error, isMeant: (ref: string) => boolean = () => true): void {
    for (const waiting of [turns, cancels, answers]) {
      for (const [ref, feed] of [...waiting]) {
        if (!isMeant(ref)) continue;
        waiting.delete(ref);
        commands.close(ref);
        feed.fail(error);
      }
    }
  }

  function fail(error: Error): void {
    if (ended) return;
    ended = error;
    joined.reject(error);
    left.reject(error);
    settle(error);
  }

  // -- commands

  /** Hands a command over, or fails it: null. */
  function give(command: Command, whileDisconnected: 'reject' | 'wait', failed: (error: Error) => void): void {
    if (ended) return failed(ended);
    if (commands.standing === 'away') {
      if (whileDisconnected === 'reject') return failed(new NotConnected());
      if (commands.waiting >= maxWaiting) {
        const message = `${maxWaiting} commands wait for a connection.`;
        return failed(new CommandRefused({ code: 'too_many_unanswered', message, limit: maxWaiting }));
      }
    }
    commands.add(command);
  }
  const usual = input.whileDisconnected ?? 'reject';

  function cancel(target: () => string, options: CancelOptions = {}): CancelHandle {
    const { reason, force, as, whileDisconnected = 'wait' } = options;
    const ref = refs();
    const feed = createCancel(ref);
    const isOfNode = () => !/^(mine|session|say:.*)$/.test(target());
    cancels.set(ref, feed);
    const command: Command = {
      ref,
      isUrgent: isOfNode,
      frame: () => ({
        type: 'CANCEL',
        ref,
        session: id,
        target: target(),
        ...(reason !== undefined && { reason }),
        ...(force !== undefined && { force }),
        ...(as !== undefined && { as }),
      }),
    };
    give(command, whileDisconnected, (error) => {
      cancels.delete(ref);
      feed.fail(error);
    });
    return feed.handle;
  }

  /** Stops what was said: what waits for a connection does not go out. */
  function cancelSaid(said: string, target: () => string, options: CancelOptions): CancelHandle {
    if (commands.standing !== 'away' || commands.stateOf(said) !== 'unsent') return cancel(target, options);
    const why = { code: 'cancelled_before_start', message: 'It was cancelled before it was sent.' };
    turns.get(said)?.fail(new CommandRefused(why));
    turns.delete(said);
    commands.close(said);
    const feed = createCancel(refs());
    feed.take({ type: 'unknown_target', ref: feed.handle.ref, session: id, target: target() });
    return feed.handle;
  }

  function say(text: string, options: SayOptions = {}): Turn {
    const { as, signal, cancelOnBreak = false, whileDisconnected = usual } = options;
    const ref = refs();
    const feed = createTurn({
      ref,
      cancelOnBreak,
      cancel: (target, wish) => (target().startsWith('say:') ? cancelSaid(ref, target, wish) : cancel(target, wish)),
    });
    if (signal?.aborted) {
      feed.fail(asError(signal.reason));
      return feed.turn;
    }
    turns.set(ref, feed);
    const command: Command = {
      ref,
      isUrgent: () => false,
      frame: () => ({ type: 'SAY', ref, session: id, text, ...(as !== undefined && { as }) }),
    };
    give(command, whileDisconnected, (error) => {
      turns.delete(ref);
      feed.fail(error);
    });
    if (signal) {
      const stop = () => void feed.turn.cancel({ reason: asError(signal.reason).message.slice(0, 500) });
      const over = () => signal.removeEventListener('abort', stop);
      signal.addEventListener('abort', stop);
      feed.turn.ended.then(over, over);
    }
    return feed.turn;
  }

  type Said = { readonly type: 'APPROVE' | 'DENY' } | { readonly type: 'ANSWER'; readonly text: string };
  function answerTo(call: string, said: Said, { as, whileDisconnected = usual }: AnswerOptions = {}): Promise<Closed> {
    const ref = refs();
    const feed = createAnswer(ref);
    answers.set(ref, feed);
    const frame = { ...said, ref, session: id, target: call, ...(as !== undefined && { as }) };
    give({ ref, isUrgent: () => false, frame: () => frame }, whileDisconnected, (error) => {
      answers.delete(ref);
      feed.fail(error);
    });
    return feed.closed;
  }
  type Approved = Promise<ServerFrameOf<'approval_closed'>>;

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
    say,
    cancel: (target, options) => cancel(() => target, options),
    approve: (call, options) => answerTo(call, { type: 'APPROVE' }, options) as Approved,
    deny: (call, options) => answerTo(call, { type: 'DENY' }, options) as Approved,
    answer: (call, text, options) =>
      answerTo(call, { type: 'ANSWER', text }, options) as Promise<ServerFrameOf<'question_closed'>>,
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

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
