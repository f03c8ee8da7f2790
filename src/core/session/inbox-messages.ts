// The messages of a session's inbox: whatever can change it, before the live tree has been read.
import type { LinkInput } from '../../../machines/contracts.ts';
import type { AnswerEvent, OpenCallEvent, SayEvent, SessionEvent } from '../../../machines/session-events.ts';
import type { BargeInEvent, SpeechEvent } from '../../../machines/speech.ts';
import type { CauseSource, NodeId, Speaker, SpeakerId } from '../../../machines/vocabulary.ts';
import type { CancelReply } from './api.ts';
import type { BargeInReply } from './voice-api.ts';

/** Words that are a stop phrase. */
export interface StopPhrase {
  /** How surely they were directed at the bot, from 0 to 1; undefined: nothing is known. */
  readonly addressed: number | undefined;
}

/** A CANCEL before the live tree has been read into it. */
export interface CancelMessage {
  readonly type: 'CANCEL';
  readonly source: CauseSource;
  readonly by: Speaker | null;
  /** The speaker whose connection sent it, where it is another one: a bridge. */
  readonly via?: SpeakerId | undefined;
  /** The door that it came by. */
  readonly door?: string | undefined;
  readonly target: string;
  /** The target as it was sent, where it was `say:<ref>`. */
  readonly say?: string | undefined;
  readonly ref?: string | undefined;
  readonly reason?: string | undefined;
  readonly force?: boolean | undefined;
  /** The probability that the words were directed at the bot, from 0 to 1. */
  readonly addressed?: number | undefined;
  /** Void, unless all of these are still running when it is handled. */
  readonly armedFor?: readonly NodeId[];
  /** Void, unless it returns true when it is handled. */
  readonly isArmed?: (() => boolean) | undefined;
  /** As in `CancelRequest`. */
  readonly seen?: number | undefined;
  readonly says?: readonly string[] | undefined;
  /** The timeout of a call, in milliseconds, which is recorded first. */
  readonly timeoutMs?: number;
  /** Receives the reply; undefined: nobody waits for one, and a CANCEL that can plan nothing is void. */
  readonly reply?: (reply: CancelReply | Promise<CancelReply>) => void;
}

/** A SAY before the live tree has been read into it. */
export interface SayMessage extends Omit<SayEvent, 'stop' | 'resumption'> {
  readonly by: Speaker;
  /** Its words are a stop phrase, of a speaker who may cancel in this session; null: they are not. */
  readonly phrase: StopPhrase | null;
  /** How surely they were directed at the bot, from 0 to 1; undefined: nothing is known. */
  readonly addressed?: number | undefined;
  /** The sequence number of the newest fact that its sender had; undefined: nothing is known. */
  readonly seen?: number | undefined;
  /** The turn that it takes up again: it is a RESUME. */
  readonly resumes?: NodeId | undefined;
  /** The words are for a turn that runs: a named one, or the latest of the speaker; null: for none. */
  readonly steer: { readonly target?: NodeId | undefined } | null;
}

/** An answer before its question has been read from the live tree. */
export type AnswerMessage = Omit<AnswerEvent, 'open'>;

/** A detached agent, before its cut has been read from the live tree. */
export interface SpawnMessage {
  readonly type: 'SPAWN';
  readonly turn: LinkInput;
}

/** The shield of a turn is over. */
export interface ShieldEndedMessage {
  readonly type: 'SHIELD_ENDED';
  readonly turn: NodeId;
}

/** `idle`: void, unless nobody is in the session and nothing happens there when it is handled. `at_rest`: for its deletion, or for another host; void if something happens there. */
export interface CloseMessage {
  readonly type: 'CLOSE';
  readonly when: 'now' | 'idle' | 'at_rest';
  /** Called when it is handled, with whether the session closes. */
  readonly reply?: (closes: boolean) => void;
}

/** The speech that a message is for. */
export interface SpeechRecipient {
  bargeIn(message: BargeInMessage): void;
  handle(event: SpeechEvent | FloorEvent): void;
}

/** Somebody speaks while the bot may be speaking. */
export interface BargeInMessage {
  readonly type: 'BARGE_IN';
  /** The speech that it interrupts. */
  readonly to: SpeechRecipient;
  readonly bargeIn: Omit<BargeInEvent, 'spoken'>;
  readonly reply: (reply: BargeInReply) => void;
}

/** The floor may be due to other speech. */
export interface FloorEvent {
  readonly type: 'FLOOR';
}

/** Passed on to the machine of a speech as it is, but for `FLOOR`. */
export interface SpeechMessage {
  readonly type: 'SPEECH';
  readonly to: SpeechRecipient;
  readonly event: SpeechEvent | FloorEvent;
}

/** Passed on to the session's machine as it is. */
export interface EventMessage {
  readonly type: 'EVENT';
  readonly event: SessionEvent;
}

export type InboxMessage =
  | OpenCallEvent
  | CancelMessage
  | SayMessage
  | AnswerMessage
  | SpawnMessage
  | ShieldEndedMessage
  | CloseMessage
  | BargeInMessage
  | SpeechMessage
  | EventMessage;
