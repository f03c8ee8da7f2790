// Decides whether words are a stop phrase, like "ok, stop it": the one function for every entrance, typed or spoken.

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
import { PhraseGrammar } from './phrase-grammar.ts';
import { pause, tokenizePhrase } from './words.ts';

/** The languages that Belay knows stop phrases of, by their code. */
export const stopLanguages = ['en', 'es', 'fr', 'de', 'pt', 'it', 'ja', 'zh', 'ko', 'hi', 'ar'] as const;
export type StopLanguage = (typeof stopLanguages)[number];

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

export interface StopPhraseOptions {
  /** Languages of Belay, or lexicons of one's own. A phrase is in one of them. Default: all of Belay's; an empty list: nothing is a stop phrase. */
  readonly languages?: readonly (StopLanguage | StopLexicon)[] | undefined;
  /** Names of the bot, which may stand before and after a stop word, as people write them in each script. Default: `defaultBotNames`. */
  readonly names?: readonly string[] | undefined;
  /** Phrases of one's own that stop, besides those of the languages. */
  readonly extra?: readonly string[] | undefined;
}

/** "Belay", and how it is written in other scripts. */
export const defaultBotNames: readonly string[] = [
  'belay',
  ...['ビレイ', 'ビレー', 'ベレイ', '贝雷', '貝雷', '比雷'],
  ...['빌레이', '벨레이', '빌레', 'बिले', 'बीले', 'बेले', 'बिलेय', 'بيلاي', 'بيلي', 'بيليه', 'بلاي'],
];

/** A longer text is no stop phrase, whatever is in it. In UTF-16 units. */
export const maxStopPhraseChars = 1000;

const defaultOptions: StopPhraseOptions = {};
const compiled = new WeakMap<StopPhraseOptions, readonly PhraseGrammar[]>();

/** Returns why a text cannot be a name of the bot or a phrase of one's own; null: it can. */
export function phraseProblem(text: string): string | null {
  const words = tokenizePhrase(text);
  if (words === null) return 'must have no question mark: a question is never a stop phrase';
  return words.some((word) => word !== pause) ? null : 'must have a letter or a digit';
}

/** Grammars are compiled once for each object of options. */
function grammarsFor(options: StopPhraseOptions): readonly PhraseGrammar[] {
  const known = compiled.get(options);
  if (known) return known;
  const { languages = stopLanguages, names = defaultBotNames, extra = [] } = options;
  const grammars = languages.map((language) => {
    const lexicon = typeof language === 'string' ? stopLexicons[language] : language;
    return new PhraseGrammar(lexicon, names, extra);
  });
  compiled.set(options, grammars);
  return grammars;
}

/**
 * Whether the words are a short command to stop, and nothing else: "stop", "ok nvm", "hey belay, stop it please". A question is none.
 *
 * @param options which languages, names and phrases count. Pass the same object each time: its grammar is compiled once.
 */
export function isCancelIntent(text: string | null | undefined, options: StopPhraseOptions = defaultOptions): boolean {
  if (text === null || text === undefined || text.length > maxStopPhraseChars) return false;
  const words = tokenizePhrase(text);
  return words !== null && grammarsFor(options).some((grammar) => grammar.matches(words));
}
