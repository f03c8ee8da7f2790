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
import { PhraseGrammar, PhraseReader } from './phrase-grammar.ts';
import type { StopLanguage, StopPhraseOptions } from './stop-phrase-options.ts';

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

/** Reads stop phrases: short commands to stop, and nothing else. "stop", "ok nvm", "hey belay, stop it please". */
export const stopPhraseReader = new PhraseReader((language, { names, extra }) => {
  const lexicon = typeof language === 'string' ? stopLexicons[language] : language;
  return new PhraseGrammar(lexicon, names, extra);
});

/**
 * Whether a text is a stop phrase.
 *
 * @param options which languages, names and phrases count. Pass the same object each time: its grammar is compiled once.
 */
export const isCancelIntent = (text: string | null | undefined, options?: StopPhraseOptions): boolean =>
  stopPhraseReader.read(text ?? '', options) !== null;
