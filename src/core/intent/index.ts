// `@belay/runtime/intent`: phrases that stop and that go on, for Node and browsers.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export { isCancelIntent, stopLexicons } from './cancel-intent.ts';
export type { StopLexicon } from './lexicons/lexicon.ts';
export { maxStopPhraseChars } from './phrase-grammar.ts';
export { isResumeIntent } from './resume-intent.ts';
export { defaultBotNames, type StopLanguage, type StopPhraseOptions, stopLanguages } from './stop-phrase-options.ts';
