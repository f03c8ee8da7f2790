// A speaker's seat in a session of this process: the object that a client has at the far end of a socket, without the socket.
//
// 1. It is the client's session and the gateway's membership, back to back: the same frames, the same order, the same receipts.
// 2. Who listens hears on a stack of its own. What a listener throws is told, and stops nobody.
import type { Speaker } from '../../machines/vocabulary.ts';
import { type ClientSession, JoinedSession } from '../client/joined-session.ts';
import type { ErrorSubject } from '../gateway/error-replies.ts';
import { Membership } from '../gateway/membership.ts';
import type { Outbox } from '../gateway/outbox.ts';
import type { ClientFrame, JoinFrame } from '../protocol/client-frames.ts';
import { decodeClientFrame } from '../protocol/codec.ts';
import { type FrameProblem, problem } from '../protocol/errors.ts';
import type { ServerFrame } from '../protocol/server-frames.ts';
import type { Runtime } from '../session/api.ts';
import type { Ids } from '../sources/sources.ts';
import type { Hold } from './keep-alive.ts';

/** What a client has of a session (see `ClientSession`), in this process. It is left when its scope ends: `await using ann = session.as('ann')`. */
export interface Seat extends ClientSession, AsyncDisposable {}

export interface SeatInput {
  readonly runtime: Runtime;
  readonly session: string;
  readonly speaker: Speaker;
  /** Facts behind this number are told first (0: all); null: only what happens from now on. */
  readonly after: number | null;
  readonly ids: Ids;
  readonly hold: Hold;
  warn(message: string, error: unknown): void;
}

export function sit({ runtime, session: id, speaker, after, ids, hold, warn }: SeatInput): Seat {
  const connection = ids('seat');

  const hear = (frame: ServerFrame) => queueMicrotask(() => own.receive(frame));
  const outbox: Outbox = {
    frame: (text) => hear(JSON.parse(text) as ServerFrame), // a copy: nobody outside holds what the transcript is made of
    text: hear,
    output: hear,
    // nothing waits here, so there is nothing to drop
    room: () => null,
    dropBlock() {},
    dropTurns() {},
    dropSession() {},
  };
  const refuse = ({ ref }: ErrorSubject, why: FrameProblem) =>
    hear({ type: 'error', ...(ref !== undefined && { ref }), session: id, ...why });

  /** The same checks as at a gateway, but for the name of the session, which is no wire's here. */
  let membership: Membership | null = null;
  function send(frame: ClientFrame): void {
    if (frame.type === 'HELLO' || frame.type === 'PING') return; // of a connection, which there is none of
    if (frame.type === 'JOIN') {
      membership = enter(frame);
      return hold.until(membership.replied());
    }
    const checked = decodeClientFrame(JSON.stringify({ ...frame, session: undefined }));
    if (!checked.ok) return refuse(frame, checked.problem);
    if ('as' in frame && frame.as !== undefined && !speaker.roles.includes('bridge'))
      return refuse(frame, problem('as_not_allowed', { field: 'as' }));
    if (membership) hold.until(membership.perform(frame));
  }
  function enter(join: JoinFrame): Membership {
    const errors = { sendError: (why: FrameProblem, about: ErrorSubject) => refuse(about, why) };
    const report = (error: unknown) => warn('a seat broke', error);
    const services = { runtime, connection, speaker, outbox, errors, report };
    return new Membership(services, join, null, { onMembershipOver() {} });
  }

  // -- the seat: the client's session, which holds the process while it waits for something
  const own = new JoinedSession({ id, after, createRef: () => ids('ref'), send, onEnd() {} });
  const guarded =
    (listener: (frame: never) => void) =>
    (frame: ServerFrame): void => {
      try {
        listener(frame as never);
      } catch (error) {
        warn('who listens to a session threw', error);
      }
    };
  return {
    id,
    joined: own.joined,
    get state() {
      return own.state;
    },
    get seq() {
      return own.seq;
    },
    get blocks() {
      return own.blocks;
    },
    say(...said: Parameters<ClientSession['say']>) {
      const turn = own.say(...said);
      hold.until(turn.ended);
      return turn;
    },
    cancel(...wished: Parameters<ClientSession['cancel']>) {
      const cancel = own.cancel(...wished);
      hold.until(cancel.settled);
      return cancel;
    },
    approve: (...said) => own.approve(...said),
    deny: (...said) => own.deny(...said),
    answer: (...said) => own.answer(...said),
    leave: () => own.leave(),
    on: (type: string, listener: (frame: never) => void) => own.on(type as '*', guarded(listener)),
    async [Symbol.asyncDispose]() {
      await own.leave().catch(() => {}); // the session has ended first
    },
  };
}
