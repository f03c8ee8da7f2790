// A session of a bridge as one speaker of its room has it: every command names that speaker.
import type { ServerFrameOf } from '../wire/server-frames.ts';
import type { Answer, AnswerOptions } from './answer-options.ts';
import type { OpenedCallHandle } from './call-in-flight.ts';
import type { CancelHandle, CancelOptions } from './cancel-in-flight.ts';
import type {
  BargeInOptions,
  DelegateOptions,
  OpenCallOptions,
  ResumeOptions,
  RoomOptions,
  SayOptions,
  SteerOptions,
  TranscriptOptions,
} from './command-options.ts';
import type { Turn } from './turn-in-flight.ts';

/** What becomes of a transcript. */
export type TranscriptReply = ServerFrameOf<'turn_opened' | 'input_deferred' | 'stop_phrase' | 'transcript_ignored'>;

/** The commands of a session that can name another speaker. */
interface BridgeSession {
  say(text: string, options?: SayOptions): Turn;
  resume(turn: string, options?: ResumeOptions): Turn;
  steer(text: string, options?: SteerOptions): Turn;
  cancel(target: string, options?: CancelOptions): CancelHandle;
  approve(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  deny(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  answer(call: string, answer: Answer, options?: AnswerOptions): Promise<ServerFrameOf<'question_closed'>>;
  delegate(speaker: string, options?: DelegateOptions): Promise<ServerFrameOf<'stop_delegated'>>;
  setSpeaker(speaker: string, present: boolean, options?: RoomOptions): Promise<ServerFrameOf<'speaker'>>;
  transcript(text: string, options: TranscriptOptions): Promise<TranscriptReply>;
  bargeIn(options: BargeInOptions): Promise<ServerFrameOf<'barge_in'>>;
  openCall(name: string, options?: OpenCallOptions): OpenedCallHandle;
}

type Own<Options> = Omit<Options, 'as'>;

/** Made by `session.speaks(speaker)`. Each method does what the one of the session does, for this speaker. */
export class RoomSpeaker {
  readonly id: string;
  readonly #session: BridgeSession;

  constructor(session: BridgeSession, id: string) {
    this.#session = session;
    this.id = id;
  }

  /** The speaker has come into the room. */
  enter(options?: RoomOptions): Promise<ServerFrameOf<'speaker'>> {
    return this.#session.setSpeaker(this.id, true, options);
  }

  /** The speaker has left the room. Their work runs on. */
  leave(options?: RoomOptions): Promise<ServerFrameOf<'speaker'>> {
    return this.#session.setSpeaker(this.id, false, options);
  }

  say(text: string, options?: Own<SayOptions>): Turn {
    return this.#session.say(text, { ...options, as: this.id });
  }

  resume(turn: string, options?: Own<ResumeOptions>): Turn {
    return this.#session.resume(turn, { ...options, as: this.id });
  }

  steer(text: string, options?: Own<SteerOptions>): Turn {
    return this.#session.steer(text, { ...options, as: this.id });
  }

  cancel(target: string, options?: Own<CancelOptions>): CancelHandle {
    return this.#session.cancel(target, { ...options, as: this.id });
  }

  approve(call: string, options?: Own<AnswerOptions>): Promise<ServerFrameOf<'approval_closed'>> {
    return this.#session.approve(call, { ...options, as: this.id });
  }

  deny(call: string, options?: Own<AnswerOptions>): Promise<ServerFrameOf<'approval_closed'>> {
    return this.#session.deny(call, { ...options, as: this.id });
  }

  answer(call: string, answer: Answer, options?: Own<AnswerOptions>): Promise<ServerFrameOf<'question_closed'>> {
    return this.#session.answer(call, answer, { ...options, as: this.id });
  }

  delegate(speaker: string, options?: Own<DelegateOptions>): Promise<ServerFrameOf<'stop_delegated'>> {
    return this.#session.delegate(speaker, { ...options, as: this.id });
  }

  transcript(text: string, options: Own<TranscriptOptions>): Promise<TranscriptReply> {
    return this.#session.transcript(text, { ...options, as: this.id });
  }

  openCall(name: string, options?: Own<OpenCallOptions>): OpenedCallHandle {
    return this.#session.openCall(name, { ...options, as: this.id });
  }

  bargeIn(options?: Own<BargeInOptions>): Promise<ServerFrameOf<'barge_in'>> {
    return this.#session.bargeIn({ ...options, as: this.id });
  }
}
