// What is asked of a session over its life: what is said, stopped and answered there, until each has come to its end.
import type { ServerFrame } from '../protocol/server-frames.ts';
import { type AnswerFeed, type AnswerOptions, type Closed, createAnswer } from './answer.ts';
import { type CancelFeed, type CancelHandle, type CancelOptions, createCancel } from './cancel.ts';
import type { Command, Commands } from './command-queue.ts';
import { CommandRefused, NotConnected } from './errors.ts';
import type { Refs } from './refs.ts';
import { createTurn, type Turn, type TurnFeed } from './turn.ts';

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

export type Answering = { readonly type: 'APPROVE' | 'DENY' } | { readonly type: 'ANSWER'; readonly text: string };

export interface Asked {
  say(text: string, options?: SayOptions): Turn;
  cancel(target: string, options?: CancelOptions): CancelHandle;
  answer(call: string, said: Answering, options?: AnswerOptions): Promise<Closed>;
  /** Hands a frame to the cancel or the answer whose end it is. True: a cancel has waited for it. */
  take(frame: ServerFrame): boolean;
  /** Hands what is told to the turns. */
  tell(frame: ServerFrame): void;
  /** A command was not taken. False: nobody waits for its answer. */
  refuse(ref: string, error: Error): boolean;
  /** Fails what has gone out. */
  lose(error: Error): void;
  /** Fails all, also what comes yet. */
  end(error: Error): void;
}

export interface AskedInput {
  readonly session: string;
  readonly refs: Refs;
  readonly commands: Commands;
  readonly whileDisconnected: 'reject' | 'wait';
}

/** Commands that may wait for a connection. */
const maxWaiting = 64;
const maxReasonChars = 500;

export function createAsked({ session, refs, commands, whileDisconnected: usual }: AskedInput): Asked {
  const turns = new Map<string, TurnFeed>();
  const cancels = new Map<string, CancelFeed>();
  const answers = new Map<string, AnswerFeed>();
  const all: readonly Map<string, { fail(error: Error): void }>[] = [turns, cancels, answers];
  let ended: Error | null = null;

  function fail(ref: string, error: Error): void {
    commands.close(ref);
    for (const waiting of all) {
      const feed = waiting.get(ref);
      waiting.delete(ref);
      feed?.fail(error);
    }
  }
  const failAll = (error: Error, isMeant: (ref: string) => boolean) => {
    for (const ref of all.flatMap((waiting) => [...waiting.keys()])) if (isMeant(ref)) fail(ref, error);
  };

  /** Hands a command over; what waits for it is there already. */
  function give(command: Command, whileDisconnected: 'reject' | 'wait'): void {
    const { ref } = command;
    if (ended) return fail(ref, ended);
    if (commands.standing === 'away') {
      if (whileDisconnected === 'reject') return fail(ref, new NotConnected());
      if (commands.waiting >= maxWaiting) {
        const message = `${maxWaiting} commands wait for a connection.`;
        return fail(ref, new CommandRefused({ code: 'too_many_unanswered', message, limit: maxWaiting }));
      }
    }
    commands.add(command);
  }

  function cancel(target: () => string, options: CancelOptions = {}): CancelHandle {
    const { reason, force, as, whileDisconnected = 'wait' } = options;
    const ref = refs();
    const feed = createCancel(ref);
    cancels.set(ref, feed);
    const command: Command = {
      ref,
      isUrgent: () => !/^(mine|session|say:.*)$/.test(target()),
      frame: () => ({
        type: 'CANCEL',
        ref,
        session,
        target: target(),
        ...(reason !== undefined && { reason }),
        ...(force !== undefined && { force }),
        ...(as !== undefined && { as }),
      }),
    };
    give(command, whileDisconnected);
    return feed.handle;
  }

  /** Stops what was said: what waits for a connection does not go out. */
  function cancelSaid(said: string, target: () => string, options: CancelOptions): CancelHandle {
    if (commands.standing !== 'away' || commands.stateOf(said) !== 'unsent') return cancel(target, options);
    const why = { code: 'cancelled_before_start', message: 'It was cancelled before it was sent.' };
    const feed = createCancel(refs());
    feed.take({ type: 'unknown_target', ref: feed.handle.ref, session, target: target() });
    fail(said, new CommandRefused(why));
    return feed.handle;
  }

  function stopBy(signal: AbortSignal, turn: Turn): void {
    const stop = () => void turn.cancel({ reason: asError(signal.reason).message.slice(0, maxReasonChars) });
    const over = () => signal.removeEventListener('abort', stop);
    signal.addEventListener('abort', stop);
    turn.ended.then(over, over);
  }

  return {
    say(text, { as, signal, cancelOnBreak = false, whileDisconnected = usual } = {}) {
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
      const frame = { type: 'SAY', ref, session, text, ...(as !== undefined && { as }) } as const;
      give({ ref, isUrgent: () => false, frame: () => frame }, whileDisconnected);
      if (signal) stopBy(signal, feed.turn);
      return feed.turn;
    },

    cancel: (target, options) => cancel(() => target, options),

    answer(call, said, { as, whileDisconnected = usual } = {}) {
      const ref = refs();
      const feed = createAnswer(ref);
      answers.set(ref, feed);
      const frame = { ...said, ref, session, target: call, ...(as !== undefined && { as }) };
      give({ ref, isUrgent: () => false, frame: () => frame }, whileDisconnected);
      return feed.closed;
    },

    take(frame) {
      let isAwaited = false;
      for (const [ref, feed] of cancels) {
        const what = feed.take(frame);
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
    },

    tell(frame) {
      for (const [ref, feed] of turns) {
        feed.take(frame);
        if (feed.turn.id !== null) commands.close(ref);
        if (feed.isOver) turns.delete(ref);
      }
    },

    refuse(ref, error) {
      const isAwaited = commands.stateOf(ref) !== null;
      fail(ref, error);
      return isAwaited;
    },
    lose: (error) => failAll(error, (ref) => commands.stateOf(ref) !== 'unsent'),
    end(error) {
      ended ??= error;
      failAll(error, () => true);
    },
  };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
