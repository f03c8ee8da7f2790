// Reads a stop phrase in words that are said, and how surely it was directed at the bot.
import { readStopPhrase } from '../intent/cancel-intent.ts';
import type { StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import type { SayRequest } from './api.ts';

/** Words that are a stop phrase. */
export interface StopPhrase {
  /** How surely they were directed at the bot, from 0 to 1; undefined: nothing is known. */
  readonly addressed: number | undefined;
}

/** Returns the stop phrase that is said; null: the words are none, or more than text is said. The strongest evidence of addressing counts. */
export function stopPhraseIn(said: SayRequest, options: StopPhraseOptions | undefined): StopPhrase | null {
  const { text, parts, spoken, replyToBot, addressed } = said;
  if (parts !== undefined) return null;
  const readings = (spoken ? readingsOfTranscript(text) : [text]).map((reading) => readStopPhrase(reading, options));
  const phrases = readings.filter((reading) => reading !== null);
  if (phrases.length === 0) return null;
  return { addressed: replyToBot || phrases.some(({ isNamed }) => isNamed) ? 1 : addressed };
}

/** Marks that end a question, and marks inside and around sentences, in the scripts of the lexicons. */
const questionMarks = /[?¿؟？❓❔‽]/gu;
const marks = /[.,;:!?…¡¿؟،؛।。、，．！？；：❓❔‽"“”„«»()]/gu;

/**
 * Returns the words of a transcript in the two ways in which they may have been spoken. The marks are the recognizer's guess: "Stop?" was a stop. A pause
 * may be real ("No, para") or not ("Never. Mind."), so both readings count.
 */
const readingsOfTranscript = (text: string): readonly string[] => [
  text.replaceAll(questionMarks, '.'),
  text.replaceAll(marks, ' '),
];
