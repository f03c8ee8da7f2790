// Labeled lists of phrases that stop and of talk that does not. Counts misses and false alarms.
//
// `phrases` and `lists` hold phrases, `tuned` and `seen` patterns of them. The lexicons were made with `tuned` in view. The lists in `seen` were written by
// people who had not seen the lexicons. What they showed has been mended since. `outside` is by three other such authors: a few of its slips of the keyboard and of
// its dialects are missed. A line with a `#` says where a list begins; README.md has the figures of each first run.
import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { isCancelIntent } from '../../../src/core/intent/cancel-intent.ts';
import { stopLanguages } from '../../../src/core/intent/stop-phrase-options.ts';
import { readPhraseList } from './read-phrase-list.ts';

interface PhraseLists {
  readonly name: string;
  readonly at: URL;
  /** How many phrases each language has at least. */
  readonly perStop: number;
  readonly perTalk: number;
  /** The part of a language's stop phrases that may be missed. Default: none. */
  readonly mayMiss?: number;
}

const folders: readonly PhraseLists[] = [
  { name: 'own', at: new URL('./phrases/', import.meta.url), perStop: 15, perTalk: 15 },
  { name: 'independent', at: new URL('./lists/', import.meta.url), perStop: 60, perTalk: 200 },
  { name: 'tuned', at: new URL('./tuned/', import.meta.url), perStop: 150, perTalk: 250 },
  { name: 'seen', at: new URL('./seen/', import.meta.url), perStop: 300, perTalk: 500 },
  { name: 'outside', at: new URL('./outside/', import.meta.url), perStop: 300, perTalk: 400, mayMiss: 0.02 },
];

/** Returns the phrases of a pattern: `{a|b} c` is `a c` and `b c`. */
function phrasesOfPattern(pattern: string): string[] {
  const open = pattern.indexOf('{');
  const close = pattern.indexOf('}', open);
  if (open < 0 || close < 0) return [pattern];
  const choices = pattern.slice(open + 1, close).split('|');
  return choices.flatMap((choice) => phrasesOfPattern(pattern.slice(0, open) + choice + pattern.slice(close + 1)));
}

const phrasesOf = ({ at, name }: PhraseLists, file: string): readonly string[] => {
  const lines = readPhraseList(new URL(file, at));
  return name === 'tuned' || name === 'seen' ? [...new Set(lines.flatMap(phrasesOfPattern))] : lines;
};

const counts: string[] = [];
let stops = 0;
let talks = 0;
let missed = 0;
let alarms = 0;

describe.each(folders)('$name lists', (lists) => {
  test.each(stopLanguages)('%s [intent.strict]', (language) => {
    const stop = phrasesOf(lists, `${language}-stop.txt`);
    const talk = phrasesOf(lists, `${language}-talk.txt`);
    expect(stop.length).toBeGreaterThanOrEqual(lists.perStop);
    expect(talk.length).toBeGreaterThanOrEqual(lists.perTalk);
    const alone = { languages: [language] };
    const misses = stop.filter((line) => !isCancelIntent(line, alone));
    const falseAlarms = talk.filter((line) => isCancelIntent(line) || isCancelIntent(line, alone));
    stops += stop.length;
    talks += talk.length;
    missed += misses.length;
    alarms += falseAlarms.length;
    counts.push(
      `${lists.name} ${language}: ${misses.length} of ${stop.length} missed, ${falseAlarms.length} of ${talk.length} false alarms`,
    );
    if (misses.length > stop.length * (lists.mayMiss ?? 0)) expect(misses).toEqual([]);
    expect(falseAlarms).toEqual([]);
  });

  test('there is no list of another language', () => {
    const languages = new Set(readdirSync(lists.at).map((file) => file.replace(/-(stop|talk)\.txt$/, '')));
    expect([...languages].sort()).toEqual([...stopLanguages].sort());
  });
});

afterAll(() => {
  console.log(counts.join('\n'));
  console.log(`phrases: ${stops} that stop, ${missed} missed; ${talks} of talk, ${alarms} false alarms`);
});
