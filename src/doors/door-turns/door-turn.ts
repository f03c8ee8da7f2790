// A turn that a request of a door follows: its frames go to the fold of the door, what it asks is replied to at once, unless the door can ask, and a lost request is a CANCEL.
import type { Caller } from '../../core/session/api.ts';
import {
  type FollowedTurn,
  followToEnd,
  followUnread,
  type TurnFollower,
  type TurnOver,
} from '../../gateway/http/follow-turn.ts';
import type { TurnReader } from '../../gateway/http/turn-filter.ts';
import type {
  ModelPreviewFrame,
  ServerFrame,
  ServerFrameOf,
  TextDeltaFrame,
  ToolOutputFrame,
} from '../../wire/server-frames.ts';
import type { DoorProfile } from './door-profiles.ts';

/** What a turn asks of a speaker. */
export type AskingFrame = ServerFrameOf<'approval_requested' | 'question_asked'>;

/** What a door makes of the frames of a turn. */
export interface TurnListener {
  /** A fact, or a reply. */
  onFrame(frame: ServerFrame): void;
  onText(delta: TextDeltaFrame): void;
  /** Reasoning, and arguments that the model is still writing. */
  onPreview?(preview: ModelPreviewFrame): void;
  /** Live output of a call. */
  onOutput?(output: ToolOutputFrame): void;
  /** All that was before is passed on. */
  onLive?(): void;
  /** Resolves when the listener wants no more: the turn goes on without it. */
  readonly paused?: Promise<void>;
  /** Asks the client, whose answer comes later. Returns false if it cannot be asked. Left out: it never can. */
  ask?(frame: AskingFrame): boolean;
}

/** Follows a turn to its end. Resolves once. What a turn asks that runs on without its request is replied to all the same. */
export async function followDoorTurn(
  followed: FollowedTurn,
  call: TurnFollower,
  onAsk: DoorProfile['onAsk'],
  listener: TurnListener,
): Promise<TurnOver> {
  const over = await followToEnd(followed, call, new DoorOutbox(followed, call, onAsk, listener), listener.paused);
  if (over.how === 'gone' && followed.onDisconnect === 'continue') followInBackground(followed, call, onAsk);
  return over;
}

/** Replies to what a turn asks that nobody waits for. */
export function followInBackground(followed: FollowedTurn, call: TurnFollower, onAsk: DoorProfile['onAsk']): void {
  if (onAsk !== 'ask')
    followUnread(followed, call, new DoorOutbox(followed, call, onAsk, { onFrame() {}, onText() {} }));
}

/** Passes frames on to the fold of a door, and replies to what the turn asks its speaker. */
class DoorOutbox implements TurnReader {
  readonly #session: string;
  readonly #caller: Caller;
  readonly #services: TurnFollower['services'];
  readonly #onAsk: DoorProfile['onAsk'];
  readonly #listener: TurnListener;

  constructor(
    { session, by }: FollowedTurn,
    { services }: Pick<TurnFollower, 'services'>,
    onAsk: DoorProfile['onAsk'],
    listener: TurnListener,
  ) {
    this.#session = session;
    this.#caller = by;
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

  onLive(): void {
    this.#listener.onLive?.();
  }

  waitForRoom(): null {
    return null;
  }

  output(delta: ToolOutputFrame): void {
    this.#listener.onOutput?.(delta);
  }

  preview(preview: ModelPreviewFrame): void {
    this.#listener.onPreview?.(preview);
  }

  dropBlock(): void {}
  dropTurns(): void {}
  dropSession(): void {}

  /** Somebody else who is asked may answer by another door. */
  #replyTo(frame: ServerFrame): void {
    if (this.#onAsk === 'ask') return;
    if (frame.type !== 'approval_requested' && frame.type !== 'question_asked') return;
    if (frame.to !== this.#caller.speaker.id) return;
    const isAllowed = frame.type === 'approval_requested' && this.#onAsk === 'allow';
    if (!isAllowed && this.#listener.ask?.(frame)) return;
    const { runtime, report } = this.#services;
    const answer = isAllowed ? 'approved' : 'cannot_ask';
    runtime.answer(this.#session, this.#caller, { target: frame.node, question: frame.question, answer }).catch(report);
  }
}
