// The options that set which words count as a stop phrase, and their check. They need no lexicon, so that a start that reads settings loads none.
import type { StopLexicon } from './lexicons/lexicon.ts';
import { pauseToken, tokenizePhrase } from './words.ts';

/** The languages that Belay knows stop phrases of, by their code. */
export const stopLanguages = ['en', 'es', 'fr', 'de', 'pt', 'it', 'ja', 'zh', 'ko', 'hi', 'ar'] as const;
export type StopLanguage = (typeof stopLanguages)[number];

export interface StopPhraseOptions {
  /** Languages of Belay, or lexicons of the embedder. A phrase is in one of them. Default: all of Belay's; an empty list: nothing is a stop phrase. */
  readonly languages?: readonly (StopLanguage | StopLexicon)[] | undefined;
  /** Names of the bot, which may stand before and after a stop word, as people write them in each script. Default: `defaultBotNames`. */
  readonly names?: readonly string[] | undefined;
  /** Phrases of the embedder that stop, besides those of the languages. */
  readonly extra?: readonly string[] | undefined;
}

/** "Belay", and how it is written in other scripts. */
export const defaultBotNames: readonly string[] = [
  'belay',
  'ビレイ',
  'ビレー',
  'ベレイ',
  '贝雷',
  '贝莱',
  '貝雷',
  '比雷',
  '빌레이',
  '벨레이',
  '빌레',
  'बिले',
  'बीले',
  'बेले',
  'बिलेय',
  'بيلاي',
  'بيلي',
  'بيليه',
  'بلاي',
];

/** Returns why a text cannot be a name of the bot or a phrase of an embedder; null: it can. */
export function phraseProblem(text: string): string | null {
  const words = tokenizePhrase(text);
  if (words === null) return 'must have no question mark: a question is never a stop phrase';
  return words.some((word) => word !== pauseToken) ? null : 'must have a letter or a digit';
}
