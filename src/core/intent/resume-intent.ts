// Decides whether words ask to go on with what was stopped, like "ok, carry on": by the grammar of stop phrases, with words of their own.

import { stopLexicons } from './cancel-intent.ts';
import type { StopLexicon } from './lexicons/lexicon.ts';
import { PhraseGrammar, PhraseReader, sharedWords } from './phrase-grammar.ts';
import { type ResumeLexicon, resumeLexicons } from './resume-lexicons.ts';
import type { StopPhraseOptions } from './stop-phrase-options.ts';

/** Words that every language knows. */
const shared = { ...sharedWords, stop: 'continue' };

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

/** Reads words that go on: "continue", "ok, pick up where you left off". The lexicons and phrases of an embedder are left out: they have no such words. */
export const resumePhraseReader = new PhraseReader((language, { names }) =>
  typeof language === 'string'
    ? new PhraseGrammar(goingOnIn(stopLexicons[language], resumeLexicons[language]), names, [], shared)
    : null,
);

/**
 * Whether a text asks to go on with what was stopped, and nothing else. A question does not.
 *
 * @param options those of stop phrases: which languages and names count. Pass the same object each time: its grammar is compiled once.
 */
export const isResumeIntent = (text: string | null | undefined, options?: StopPhraseOptions): boolean =>
  resumePhraseReader.read(text ?? '', options) !== null;
