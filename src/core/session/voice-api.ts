// Commands about what is said and heard, and the replies: of a bridge for its room, or of a speaker for what is spoken at their own connection.

import type { NodeId } from '../../../machines/vocabulary.ts';
import type { RecognizerEvidence, VoiceRules } from '../../../machines/voice.ts';
import type { HeardBlock } from '../../../machines/voice-facts.ts';

/** The session is not a voice session, and a bridge has sent the command: nothing has happened. */
export interface NotVoice {
  readonly type: 'not_voice';
}

/** The speech is another's, or at another connection, and the caller is no bridge: nothing has happened. */
export interface SpeechNotYours {
  readonly type: 'not_yours';
}

/** Words of the caller that were recognized. */
export interface TranscriptRequest extends RecognizerEvidence {
  readonly ref?: string | undefined;
  readonly text: string;
  /** Whether the words are final; false: the recognizer may still change them. */
  readonly final: boolean;
  /** How surely they were directed at the bot, from 0 to 1. */
  readonly addressed?: number | undefined;
  /** They reply to something that the bot has said. */
  readonly replyToBot?: boolean | undefined;
}

/** The words have no effect: they are not final, or it is likely that nobody spoke. */
export interface TranscriptIgnored {
  readonly type: 'transcript_ignored';
  readonly reason: 'partial' | 'no_speech';
}

/** The caller speaks while the bot does. */
export interface BargeInRequest {
  /** For how long so far, in milliseconds. Left out: the bridge has applied a minimum of its own. */
  readonly durationMs?: number | undefined;
}

export type BargeInResult = 'paused' | 'nothing_spoken' | 'not_allowed' | 'too_short';

export type BargeInReply =
  /** `turn`: the one whose speech is paused. */
  { readonly type: 'barge_in'; readonly result: BargeInResult; readonly turn?: NodeId } | NotVoice | SpeechNotYours;

/** How much of a text block was played. */
export interface PlayedRequest extends Omit<HeardBlock, 'estimated'> {
  readonly turn: NodeId;
  /** `offset` is an estimate from the time: the voice does not say which words it speaks. */
  readonly estimated?: boolean | undefined;
}

export type PlayedReply =
  /** `offset`: how much counts as heard. */
  | ({ readonly type: 'played' } & Omit<PlayedRequest, 'estimated'>)
  /** The session does not know the block, or does not expect to hear of it any more. */
  | { readonly type: 'unknown_target'; readonly target: string }
  | NotVoice
  | SpeechNotYours;

/** The rules of a voice session that are in force, the turn whose speech is paused, and those whose speech waits. */
export interface VoiceState extends VoiceRules {
  readonly addressedFrom: number;
  readonly paused: NodeId | null;
  /** The turns whose speech waits for the floor. */
  readonly queued: readonly NodeId[];
}
