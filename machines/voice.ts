// The rules of a voice session: when a transcript counts, and who may interrupt the bot's speech.
import type { BargeInRule, Speaker, SpeakerId } from './vocabulary.ts';

export interface VoiceRules {
  readonly bargeIn: BargeInRule;
  /** A shorter sound interrupts nothing, in milliseconds. */
  readonly minBargeInMs: number;
  /** Speech that was interrupted goes on if no final words come within this time, in milliseconds. */
  readonly falseInterruptionMs: number;
  /** From which confidence of the recognizer (0 to 1) on words can be a stop phrase. */
  readonly confidenceFrom: number;
  /** From which probability that nobody spoke (0 to 1) on a transcript is dropped. */
  readonly noSpeechFrom: number;
  /** Whether a sound is played as soon as somebody stops something: the room gets a notice. */
  readonly stopSound: boolean;
}

/** The rules that a session sets; the others have their defaults. */
export type VoiceSettings = { readonly [Rule in keyof VoiceRules]?: VoiceRules[Rule] | undefined };

/** The rules where the session sets none. docs/voice.md has the source of each number. */
export const defaultVoiceRules: VoiceRules = {
  bargeIn: 'speaker',
  minBargeInMs: 200,
  falseInterruptionMs: 2_000,
  confidenceFrom: 0.5,
  noSpeechFrom: 0.6,
  stopSound: false,
};

/** What a recognizer says of a transcript. Left out: it does not say. */
export interface RecognizerEvidence {
  /** How sure it is of the words, from 0 to 1. */
  readonly confidence?: number | undefined;
  /** How likely it is that nobody spoke, from 0 to 1. */
  readonly noSpeech?: number | undefined;
}

/** Whether a transcript is of speech: it has words, and passes the silence gate. */
export const isSpeech = (text: string, { noSpeech }: RecognizerEvidence, { noSpeechFrom }: VoiceRules): boolean =>
  text.trim() !== '' && (noSpeech === undefined || noSpeech < noSpeechFrom);

/** Whether words are recognized surely enough for a stop phrase. */
export const isSure = ({ confidence }: RecognizerEvidence, { confidenceFrom }: VoiceRules): boolean =>
  confidence === undefined || confidence >= confidenceFrom;

/** Whether a speaker may interrupt the speech of a turn. */
export function mayBargeIn(owner: SpeakerId, { id, roles }: Speaker, rule: BargeInRule): boolean {
  if (rule === 'none') return false;
  return rule === 'anyone' || owner === id || roles.includes('moderator');
}
