// The facts of a voice session.
import type { Effect, NodeId, OutcomeKind, SpeakerId } from './vocabulary.ts';

/** What was recorded of the transcript that a turn was opened by. */
export interface SpokenWords {
  /** How sure the recognizer was of the words, from 0 to 1. */
  readonly confidence?: number;
  /** How likely it was that nobody spoke, from 0 to 1. */
  readonly noSpeech?: number;
  /** The words are a stop phrase, and stopped nothing, because the recognizer was not sure enough of them. */
  readonly stopRefused?: 'low_confidence';
}

/** How much of a text block was heard. */
export interface HeardBlock {
  readonly index: number;
  /** The number of characters (UTF-16 code units) from the start of the block that were heard. */
  readonly offset: number;
  /** It was estimated from the time: the voice did not say which words it spoke. Left out: it was measured. */
  readonly estimated?: true;
}

/** What a turn has said is to be spoken, and waits: other speech has the floor. The node is in the live tree from here on. */
export interface SpeechQueued {
  readonly type: 'speech_queued';
  readonly speech: NodeId;
  readonly turn: NodeId;
  /** The owner of the turn. */
  readonly owner: SpeakerId;
}

/** The bot begins to speak what a turn has said: a node beside the turn, which it may outlive. A turn that goes on speaking later has another one. */
export interface SpeechStarted {
  readonly type: 'speech_started';
  readonly speech: NodeId;
  readonly turn: NodeId;
  /** The owner of the turn. */
  readonly owner: SpeakerId;
}

/** Speech has ended. `completed`: nothing of it is left to be played. `superseded`: words of somebody who interrupted it have cut it. `timed_out`: nothing of it was played any more, and other speech waited. Any other: as its cause says. */
export interface SpeechEnded {
  readonly type: 'speech_ended';
  readonly speech: NodeId;
  readonly turn: NodeId;
  readonly outcome: OutcomeKind;
  /** `none`: speech changes nothing but what was heard, which `speech_cut` says. `not_started`: it has waited until its end. */
  readonly effect: Effect;
  readonly code?: string;
}

/** The speech of a turn was cut off. A later one of the same turn and block replaces it: its bridge has played more by then. */
export interface SpeechCut {
  readonly type: 'speech_cut';
  readonly turn: NodeId;
  /** `barge_in`: somebody spoke. `cancel`: the turn was stopped. */
  readonly why: 'barge_in' | 'cancel';
  /** The speaker who did it; null: the runtime did. */
  readonly by: SpeakerId | null;
  /** Each block that was not heard to its end. The history has no more of it. */
  readonly heard: readonly HeardBlock[];
}

/** A final transcript was dropped, because it is likely that nobody spoke. A record only. */
export interface TranscriptDropped {
  readonly type: 'transcript_dropped';
  readonly by: SpeakerId;
  /** The bridge that has sent it. */
  readonly via?: SpeakerId;
  /** Its first 500 characters. */
  readonly text: string;
  readonly noSpeech: number;
  readonly confidence?: number;
}
