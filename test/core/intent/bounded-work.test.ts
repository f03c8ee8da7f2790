// The work for a text grows with its length only, whatever is in it: counted in steps, not in time.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isCancelIntent, stopLexicons } from '../../../src/core/intent/cancel-intent.ts';
import { phrasesIn } from '../../../src/core/intent/lexicons/lexicon.ts';
import { maxStopPhraseChars } from '../../../src/core/intent/phrase-grammar.ts';
import { stopLanguages } from '../../../src/core/intent/stop-phrase-options.ts';

afterEach(() => void vi.restoreAllMocks());

/** Each character is tested by a regular expression of one class; each word is looked up in a set and in the maps of the tree of phrases. */
function stepsFor(text: string, options = {}): number {
  isCancelIntent('stop', options); // compiled
  let steps = 0;
  const restored = [
    [RegExp.prototype, 'test'],
    [Map.prototype, 'get'],
    [Set.prototype, 'has'],
  ].map(([prototype, name]) => countCalls(prototype as object, name as string, () => steps++));
  try {
    isCancelIntent(text, options);
  } finally {
    for (const restore of restored) restore();
  }
  expect(steps).toBeGreaterThan(0);
  return steps;
}

/** Calls `count` at each call of a method, until the function that it returns is called. A spy would keep millions of calls. */
function countCalls(prototype: object, name: string, count: () => void): () => void {
  const method: (...args: unknown[]) => unknown = Reflect.get(prototype, name);
  const put = (value: unknown) =>
    Reflect.defineProperty(prototype, name, { value, writable: true, configurable: true });
  put(function counted(this: unknown, ...args: unknown[]) {
    count();
    return method.apply(this, args);
  });
  return () => void put(method);
}

/** Repeats a piece up to a length. */
const fill = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

describe('steps', () => {
  const hostile = [
    'stop ',
    'no ',
    'ok, ',
    'hör bitte ',
    'o',
    'st',
    '停',
    'だから',
    'please stop it now ',
    "'",
    '-',
    'a-',
    '\u0301',
    '\u200d',
    '\ufdfa',
    ' ',
    '!',
    '🛑',
    'که ',
  ];

  test.each(hostile)('grow with the length for %j', (piece) => {
    const options = {};
    const [short, long] = [stepsFor(fill(piece, 250), options), stepsFor(fill(piece, 1000), options)];
    expect(long).toBeLessThanOrEqual(short * 4.2 + 500);
    expect(long / 1000).toBeLessThan(11 * 45);
  });

  test.each(stopLanguages)(
    '%s: grow with the length for its own phrases repeated',
    (language) => {
      const options = { languages: [language] };
      const { language: _, ...fields } = stopLexicons[language];
      const phrases = Object.values(fields).flatMap(phrasesIn);
      for (const phrase of phrases.filter((_, i) => i % 20 === 0)) {
        const text = fill(`${phrase} `, 1000);
        const steps = stepsFor(text, options);
        if (steps > text.length * 45) expect.fail(`${steps} steps for ${phrase}`);
      }
    },
    120_000,
  );

  test('a text over the limit is not read: megabytes cost as much as a word', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    for (const piece of hostile) expect(isCancelIntent(fill(piece, 4_000_000))).toBe(false);
    expect(isCancelIntent(fill('stop ', maxStopPhraseChars + 1))).toBe(false);
    expect(normalize).not.toHaveBeenCalled();
    expect(isCancelIntent(fill('stop ', maxStopPhraseChars))).toBe(true);
  });
});
