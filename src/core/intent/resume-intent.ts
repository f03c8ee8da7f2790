// Decides whether words ask to go on with what was stopped, like "ok, carry on": by the grammar of stop phrases, with words of their own.

import { maxStopPhraseChars, stopLexicons } from './cancel-intent.ts';
import type { StopLexicon } from './lexicons/lexicon.ts';
import { PhraseGrammar, type PhraseReading, sharedWords } from './phrase-grammar.ts';
import { type ResumeLexicon, resumeLexicons } from './resume-lexicons.ts';
import { defaultBotNames, type StopPhraseOptions, stopLanguages } from './stop-phrase-options.ts';
import { tokenizePhrase } from './words.ts';

/** Words that every language knows. */
const shared = { ...sharedWords, stop: 'continue' };

const defaultOptions: StopPhraseOptions = {};
const compiled = new WeakMap<StopPhraseOptions, (PhraseGrammar | null)[]>();

/** Returns the stop lexicon of a language with words that go on in the place of those that stop. Lead-ins, closing words and spellings are those of both. */
function goingOnIn(stop: StopLexicon, words: ResumeLexicon): StopLexicon {
  const { resume, resumeWithoutObject = '', object = '', objectBefore = '', between, ...own } = words;
  return {
    language: stop.language,
    lead: `${stop.lead} / ${own.lead ?? ''}`,
    objectBefore,
    stop: resume,
    stopWithoutObject: resumeWithoutObject,
    alone: '',
    object,
    tail: `${stop.tail} / ${own.tail ?? ''}`,
    talk: own.talk ?? '',
    spellings: `${stop.spellings ?? ''} / ${own.spellings ?? ''}`,
    ...(between !== undefined && { between }),
    ...(stop.transliteration !== undefined && { transliteration: stop.transliteration }),
  };
}

/**
 * Yields the grammar of each language of Belay. Each is compiled at its first use, once for each object of options. The lexicons of an embedder are left out:
 * they have no words that go on.
 */
export function* resumeGrammars(options: StopPhraseOptions = defaultOptions): Generator<PhraseGrammar, void, void> {
  const { languages = stopLanguages, names = defaultBotNames } = options;
  const known = compiled.get(options) ?? [];
  compiled.set(options, known);
  for (const [i, language] of languages.entries()) {
    if (typeof language !== 'string') continue;
    known[i] ??= new PhraseGrammar(goingOnIn(stopLexicons[language], resumeLexicons[language]), names, [], shared);
    yield known[i];
  }
}

/** Whether the grammars of these options are compiled, or are being compiled. */
export const areResumeGrammarsKnown = (options: StopPhraseOptions = defaultOptions): boolean => compiled.has(options);

/**
 * Whether a text asks to go on with what was stopped, and nothing else: "continue", "ok, pick up where you left off". A question does not.
 *
 * @param options those of stop phrases: which languages and names count. Pass the same object each time: its grammar is compiled once.
 */
export const isResumeIntent = (text: string | null | undefined, options?: StopPhraseOptions): boolean =>
  readResumePhrase(text ?? '', options) !== null;

/** Reads a text as words that go on, as `isResumeIntent` does. Null: they are none. */
export function readResumePhrase(text: string, options: StopPhraseOptions = defaultOptions): PhraseReading | null {
  const words = text.length > maxStopPhraseChars ? null : tokenizePhrase(text);
  if (words === null) return null;
  for (const grammar of resumeGrammars(options)) {
    const reading = grammar.read(words);
    if (reading) return reading;
  }
  return null;
}
