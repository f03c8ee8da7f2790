// `@belay/runtime/intent`: stop phrases, for Node and browsers.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export {
  defaultBotNames,
  isCancelIntent,
  maxStopPhraseChars,
  type StopLanguage,
  type StopPhraseOptions,
  stopLanguages,
  stopLexicons,
} from './cancel-intent.ts';
export type { StopLexicon } from './lexicons/lexicon.ts';
