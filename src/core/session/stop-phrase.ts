// Reads a stop phrase in words that are said, and how surely it was directed at the bot. Its grammars are compiled before the first words need them.
import { readStopPhrase, stopGrammars } from '../intent/cancel-intent.ts';
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

const nextTurnOfLoop = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Compiles one language in each turn of the event loop. Resolves when all are ready; those that are cost nothing. */
export async function prepareStopPhrases(options: StopPhraseOptions | undefined): Promise<void> {
  for (const _ of stopGrammars(options)) await nextTurnOfLoop();
}
