// A session as a client has joined it: what is said and stopped goes out, every frame of it comes in here.
//
// 1. A fact is told once, in order: what comes again by a replay is not.
// 2. An acceptance is told once, though it may come before its commit and again after it.
import type { JoinFrame, ServerFrame, ServerFrameOf, TextPiece } from '../protocol/frames.ts';
import { createBlocks } from './blocks.ts';
import { type CancelFeed, type CancelHandle, type CancelOptions, createCancel } from './cancel.ts';
import { CommandRefused, SessionEnded } from './errors.ts';
import { handled } from './handled.ts';
import type { Refs } from './refs.ts';
import { createTurn, type Turn, type TurnFeed } from './turn.ts';
import type { Wire } from './wire.ts';

export interface SayOptions {
  /** Bridges only: whose words these are. */
  readonly as?: string;
}

export interface AnswerOptions {
  /** Bridges only: whose answer it is. */
  readonly as?: string;
}

type FrameType = ServerFrame['type'];
type Closed = ServerFrameOf<'approval_closed' | 'question_closed'>;

export interface ClientSession {
  readonly id: string;
  /** Rejects with `CommandRefused` or `ConnectionClosed`. */
  readonly joined: Promise<ServerFrameOf<'joined'>>;
  /** The last fact that was heard: what `after` is when one comes back. */
  readonly seq: number;
  /** Open text blocks with the text so far. */
  readonly blocks: readonly TextPiece[];
  say(text: string, options?: SayOptions): Turn;
  /** A node id, `mine` or `session`. */
  cancel(target: string, options?: CancelOptions): CancelHandle;
  /** Says yes to what a call asks for. Resolves with the fact that closed it; rejects with `CommandRefused` (`expired`, `not_addressed`). */
  approve(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  /** Says no: the call does not run, and the turn goes on. */
  deny(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  /** Answers a question of a call. */
  answer(call: string, text: string, options?: AnswerOptions): Promise<ServerFrameOf<'question_closed'>>;
  /** Hears frames of one type, or all of them (`*`), until the returned function is called. Text comes without what was heard before. */
  on<T extends FrameType>(type: T, hear: (frame: ServerFrameOf<T>) => void): () => void;
  on(type: '*', hear: (frame: ServerFrame) => void): () => void;
  leave(): Promise<void>;
}

/** The client's side of it. */
export interface SessionFeed {
  readonly session: ClientSession;
  take(frame: ServerFrame): void;
  fail(error: Error): void;
}

export interface SessionInput {
  readonly id: string;
  readonly after: number | null;
  readonly refs: Refs;
  readonly wire: Wire;
  /** The membership is over. */
  over(): void;
}

/** Receipts whose acceptance was told, remembered so that it is not told again. */
const rememberedReceipts = 1_000;

export function createSession({ id, after, refs, wire, over }: SessionInput): SessionFeed {
  const blocks = createBlocks();
  const turns = new Map<string, TurnFeed>();
  const cancels = new Map<string, CancelFeed>();
  const answers = new Map<string, PromiseWithResolvers<Closed>>();
  const accepted = new Set<string>();
  const listeners = new Map<string, Set<(frame: ServerFrame) => void>>();
  const joined = Promise.withResolvers<ServerFrameOf<'joined'>>();
  const left = Promise.withResolvers<void>();
  handled(joined.promise, left.promise);
  const joinRef = refs();
  let seq = after ?? 0;
  let ended: Error | null = null;

  /** What the frame tells that was not told before; null: nothing. */
  function news(frame: ServerFrame): ServerFrame | null {
    if ('seq' in frame && frame.seq !== undefined && frame.type !== 'joined') {
      if (frame.seq <= seq) return null;
      seq = frame.seq;
    }
    switch (frame.type) {
      case 'joined':
        for (const piece of frame.blocks) blocks.put(piece);
        if (after === null) seq = frame.seq;
        return frame;
      case 'text_delta':
        return blocks.add(frame);
      case 'model_ended':
        blocks.end(frame);
        return frame;
      case 'turn_ended':
        blocks.forget(frame.turn);
        return frame;
      case 'cancel_accepted':
        blocks.stop(frame.stopping);
        if (frame.repeated || accepted.has(frame.cancel)) return null;
        accepted.add(frame.cancel);
        if (accepted.size > rememberedReceipts) accepted.delete(accepted.values().next().value as string);
        return frame;
      case 'cancel_settled':
        return frame.repeated ? null : frame;
      default:
        return frame;
    }
  }

  function refuse(frame: ServerFrameOf<'error' | 'say_refused' | 'answer_refused'>): void {
    const error = new CommandRefused(frame);
    const { ref } = frame;
    if (ref === undefined) return;
    turns.get(ref)?.fail(error);
    turns.delete(ref);
    cancels.get(ref)?.fail(error);
    cancels.delete(ref);
    answers.get(ref)?.reject(error);
    answers.delete(ref);
    if (ref !== joinRef) return;
    joined.reject(error);
    fail(error);
    over();
  }

  function take(frame: ServerFrame): void {
    for (const [ref, cancel] of cancels) if (cancel.take(frame)) cancels.delete(ref);
    if (frame.type === 'error' || frame.type === 'say_refused' || frame.type === 'answer_refused') refuse(frame);
    if ((frame.type === 'approval_closed' || frame.type === 'question_closed') && frame.ref !== null) {
      answers.get(frame.ref)?.resolve(frame);
      answers.delete(frame.ref);
    }
    const told = news(frame);
    if (!told) return;
    if (told.type === 'joined') joined.resolve(told);
    for (const [ref, turn] of turns) {
      turn.take(told);
      if (turn.isOver) turns.delete(ref);
    }
    for (const hear of [...(listeners.get(told.type) ?? []), ...(listeners.get('*') ?? [])]) hear(told);
    if (told.type === 'left') {
      left.resolve();
      fail(new SessionEnded(told.reason ?? 'left'));
      over();
    }
  }

  function fail(error: Error): void {
    ended ??= error;
    joined.reject(error);
    left.reject(error);
    for (const turn of turns.values()) turn.fail(error);
    for (const cancel of cancels.values()) cancel.fail(error);
    for (const answer of answers.values()) answer.reject(error);
    turns.clear();
    cancels.clear();
    answers.clear();
  }

  function answer(said: { type: 'APPROVE' | 'DENY' } | { type: 'ANSWER'; text: string }, target: string, as?: string) {
    const waiting = Promise.withResolvers<Closed>();
    handled(waiting.promise);
    if (ended) waiting.reject(ended);
    else {
      const ref = refs();
      answers.set(ref, waiting);
      wire.send({ ...said, ref, session: id, target, ...(as !== undefined && { as }) });
    }
    return waiting.promise;
  }

  function cancel(target: string, { reason, force, as }: CancelOptions = {}): CancelHandle {
    const feed = createCancel(refs());
    const { ref } = feed.handle;
    if (ended) {
      feed.fail(ended);
      return feed.handle;
    }
    cancels.set(ref, feed);
    wire.send({
      type: 'CANCEL',
      ref,
      session: id,
      target,
      ...(reason !== undefined && { reason }),
      ...(force !== undefined && { force }),
      ...(as !== undefined && { as }),
    });
    return feed.handle;
  }

  const session: ClientSession = {
    id,
    joined: joined.promise,
    get seq() {
      return seq;
    },
    get blocks() {
      return blocks.open();
    },
    say(text, { as } = {}) {
      const ref = refs();
      const feed = createTurn(ref, cancel);
      if (ended) {
        feed.fail(ended);
        return feed.turn;
      }
      turns.set(ref, feed);
      wire.send({ type: 'SAY', ref, session: id, text, ...(as !== undefined && { as }) });
      return feed.turn;
    },
    cancel,
    approve: (call, { as } = {}) =>
      answer({ type: 'APPROVE' }, call, as) as Promise<ServerFrameOf<'approval_closed'>>,
    deny: (call, { as } = {}) => answer({ type: 'DENY' }, call, as) as Promise<ServerFrameOf<'approval_closed'>>,
    answer: (call, text, { as } = {}) =>
      answer({ type: 'ANSWER', text }, call, as) as Promise<ServerFrameOf<'question_closed'>>,
    on(type: string, hear: (frame: never) => void) {
      const heard = listeners.get(type) ?? new Set();
      listeners.set(type, heard.add(hear as (frame: ServerFrame) => void));
      return () => void heard.delete(hear as (frame: ServerFrame) => void);
    },
    leave() {
      if (!ended) wire.send({ type: 'LEAVE', ref: refs(), session: id });
      return left.promise;
    },
  };
  wire.send({ type: 'JOIN', ref: joinRef, session: id, ...(after !== null && { after }) } satisfies JoinFrame);
  return { session, take, fail };
}
