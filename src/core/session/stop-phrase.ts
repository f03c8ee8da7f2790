// Reads a stop phrase in words that are said, and how surely it was directed at the bot.
import { isCancelIntent } from '../intent/cancel-intent.ts';
import { defaultBotNames, type StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import { addressingOf } from './addressing.ts';
import type { SayRequest } from './api.ts';

/** Words that are a stop phrase. */
export interface StopPhrase {
  /** How surely they were directed at the bot, from 0 to 1; undefined: nothing is known. */
  readonly addressed: number | undefined;
}

/** Returns the stop phrase that is said; null: the words are none, or more than text is said. */
export function stopPhraseIn(said: SayRequest, options: StopPhraseOptions | undefined): StopPhrase | null {
  const { text, parts, spoken } = said;
  const readings = spoken ? readingsOfTranscript(text) : [text];
  if (parts !== undefined || !readings.some((reading) => isCancelIntent(reading, options))) return null;
  return { addressed: addressingOf(text, said, options?.names ?? defaultBotNames) };
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
