// `@belay/runtime/intent`: stop phrases, for Node and browsers.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export { isCancelIntent, maxStopPhraseChars, stopLexicons } from './cancel-intent.ts';
export type { StopLexicon } from './lexicons/lexicon.ts';
export { defaultBotNames, type StopLanguage, type StopPhraseOptions, stopLanguages } from './stop-phrase-options.ts';
