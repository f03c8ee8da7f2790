// Decides whether words are a stop phrase, like "ok, stop it". All words pass through this function, typed or spoken.

import { arabic } from './lexicons/arabic.ts';
import { chinese } from './lexicons/chinese.ts';
import { english } from './lexicons/english.ts';
import { french } from './lexicons/french.ts';
import { german } from './lexicons/german.ts';
import { hindi } from './lexicons/hindi.ts';
import { italian } from './lexicons/italian.ts';
import { japanese } from './lexicons/japanese.ts';
import { korean } from './lexicons/korean.ts';
import type { StopLexicon } from './lexicons/lexicon.ts';
import { portuguese } from './lexicons/portuguese.ts';
import { spanish } from './lexicons/spanish.ts';
import { PhraseGrammar, type PhraseReading } from './phrase-grammar.ts';
import { defaultBotNames, type StopLanguage, type StopPhraseOptions, stopLanguages } from './stop-phrase-options.ts';
import { tokenizePhrase } from './words.ts';

/** The lexicons, as plain data. */
export const stopLexicons: Readonly<Record<StopLanguage, StopLexicon>> = {
  en: english,
  es: spanish,
  fr: french,
  de: german,
  pt: portuguese,
  it: italian,
  ja: japanese,
  zh: chinese,
  ko: korean,
  hi: hindi,
  ar: arabic,
};

/** The limit of a stop phrase, in UTF-16 units. A longer text is not read, and is not a stop phrase. */
export const maxStopPhraseChars = 1000;

const defaultOptions: StopPhraseOptions = {};
const compiled = new WeakMap<StopPhraseOptions, PhraseGrammar[]>();

/**
 * Yields the grammar of each language. It is compiled when it is asked for first, once for each object of options: eleven take some 370 ms of CPU. Whoever wants them
 * ready before the first words reads all of them.
 */
export function* stopGrammars(options: StopPhraseOptions = defaultOptions): Generator<PhraseGrammar, void, void> {
  const { languages = stopLanguages, names = defaultBotNames, extra = [] } = options;
  const known = compiled.get(options) ?? [];
  compiled.set(options, known);
  for (const [i, language] of languages.entries()) {
    const lexicon = typeof language === 'string' ? stopLexicons[language] : language;
    known[i] ??= new PhraseGrammar(lexicon, names, extra);
    yield known[i];
  }
}

/**
 * Reads a text as a short command to stop, and nothing else: "stop", "ok nvm", "hey belay, stop it please". Null: it is none. A question is none.
 *
 * @param options which languages, names and phrases count. Pass the same object each time: its grammar is compiled once.
 */
export function readStopPhrase(text: string, options: StopPhraseOptions = defaultOptions): PhraseReading | null {
  if (text.length > maxStopPhraseChars) return null;
  const words = tokenizePhrase(text);
  if (words === null) return null;
  for (const grammar of stopGrammars(options)) {
    const reading = grammar.read(words);
    if (reading) return reading;
  }
  return null;
}

/** Whether a text is a stop phrase: see `readStopPhrase`. */
export const isCancelIntent = (text: string | null | undefined, options: StopPhraseOptions = defaultOptions): boolean =>
  readStopPhrase(text ?? '', options) !== null;
