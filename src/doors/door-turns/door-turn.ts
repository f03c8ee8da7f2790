// A turn that a request of a door follows: its frames go to the fold of the door, what it asks is replied to at once, unless the door can ask, and a lost request is a CANCEL.
import type { Caller } from '../../core/session/api.ts';
import { type FollowedTurn, followToEnd, type TurnFollower, type TurnOver } from '../../gateway/http/follow-turn.ts';
import type { Outbox } from '../../gateway/outbox.ts';
import type { ServerFrame, ServerFrameOf, TextDeltaFrame } from '../../wire/server-frames.ts';
import type { DoorProfile } from './door-profiles.ts';

/** What a turn asks of a speaker. */
export type AskingFrame = ServerFrameOf<'approval_requested' | 'question_asked'>;

/** What a door makes of the frames of a turn. */
export interface TurnListener {
  /** A fact, or a reply. */
  onFrame(frame: ServerFrame): void;
  onText(delta: TextDeltaFrame): void;
  /** Asks the client, whose answer comes later. Returns false if it cannot be asked. Left out: it never can. */
  ask?(frame: AskingFrame): boolean;
}

/** Follows a turn to its end. Resolves once. */
export function followDoorTurn(
  followed: FollowedTurn,
  call: TurnFollower,
  onAsk: DoorProfile['onAsk'],
  listener: TurnListener,
): Promise<TurnOver> {
  return followToEnd(followed, call, new DoorOutbox(followed.session, followed.by, call.services, onAsk, listener));
}

/** Passes frames on to the fold of a door, and replies to what the turn asks its speaker. */
class DoorOutbox implements Outbox {
  readonly #session: string;
  readonly #caller: Caller;
  readonly #services: TurnFollower['services'];
  readonly #onAsk: DoorProfile['onAsk'];
  readonly #listener: TurnListener;

  constructor(
    session: string,
    caller: Caller,
    services: TurnFollower['services'],
    onAsk: DoorProfile['onAsk'],
    listener: TurnListener,
  ) {
    this.#session = session;
    this.#caller = caller;
    this.#services = services;
    this.#onAsk = onAsk;
    this.#listener = listener;
  }

  frame(text: string): void {
    const frame = JSON.parse(text) as ServerFrame; // passed on by a filter
    this.#replyTo(frame);
    this.#listener.onFrame(frame);
  }

  text(delta: TextDeltaFrame): void {
    this.#listener.onText(delta);
  }

  waitForRoom(): null {
    return null;
  }

  output(): void {}
  preview(): void {}
  dropBlock(): void {}
  dropTurns(): void {}
  dropSession(): void {}

  /** Somebody else who is asked may answer by another door. */
  #replyTo(frame: ServerFrame): void {
    if (frame.type !== 'approval_requested' && frame.type !== 'question_asked') return;
    if (frame.to !== this.#caller.speaker.id) return;
    const isAllowed = frame.type === 'approval_requested' && this.#onAsk === 'allow';
    if (!isAllowed && this.#listener.ask?.(frame)) return;
    const { runtime, report } = this.#services;
    const answer = isAllowed ? 'approved' : 'cannot_ask';
    runtime.answer(this.#session, this.#caller, { target: frame.node, question: frame.question, answer }).catch(report);
  }
}
