// Labeled lists of phrases that go on and of talk that does not, by language. Counts misses and false alarms. The first two lists of each language were written before
// the lexicons had been run on them. The talk of the lists of stop phrases counts, too: what is a phrase that goes on there is in the list of such phrases here.
// The lists in `resume-unseen` are by an author who had not seen the grammar, and stay as they were written.
import { readdirSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { isCancelIntent } from '../../../src/core/intent/cancel-intent.ts';
import { isResumeIntent } from '../../../src/core/intent/resume-intent.ts';
import { stopLanguages } from '../../../src/core/intent/stop-phrase-options.ts';
import { readPhraseList } from './read-phrase-list.ts';

const linesOf = (name: string) => readPhraseList(new URL(name, import.meta.url));

/** The folders of the lists of stop phrases that hold phrases, not patterns. */
const stopFolders = ['phrases', 'lists', 'outside'];

const counts: string[] = [];

test.each(stopLanguages)('%s [recover.go-on]', (language) => {
  const resume = linesOf(`resume/${language}-resume.txt`);
  const others = stopFolders.flatMap((folder) => linesOf(`${folder}/${language}-talk.txt`));
  const talk = [...linesOf(`resume/${language}-talk.txt`), ...others.filter((line) => !resume.includes(line))];
  const stop = stopFolders.flatMap((folder) => linesOf(`${folder}/${language}-stop.txt`));
  expect(resume.length).toBeGreaterThanOrEqual(35);
  expect(talk.length).toBeGreaterThanOrEqual(300);
  const alone = { languages: [language] };
  const misses = resume.filter((line) => !isResumeIntent(line, alone));
  const falseAlarms = [...talk, ...stop].filter((line) => isResumeIntent(line) || isResumeIntent(line, alone));
  const stops = resume.filter((line) => isCancelIntent(line));
  counts.push(
    `${language}: ${misses.length} of ${resume.length} missed, ${falseAlarms.length} of ${talk.length} taken`,
  );
  expect({ misses, falseAlarms, stops }).toEqual({ misses: [], falseAlarms: [], stops: [] });
});

test.each(['resume/', 'resume-unseen/'])('there is no list of another language in %s', (folder) => {
  const files = readdirSync(new URL(folder, import.meta.url));
  const languages = new Set(files.map((file) => file.replace(/-(resume|talk)\.txt$/, '')));
  expect([...languages].sort()).toEqual([...stopLanguages].sort());
});

/** The lines of the lists of one kind in all languages. */
const allOf = (folder: string, kind: 'resume' | 'talk') =>
  stopLanguages.flatMap((language) => linesOf(`${folder}/${language}-${kind}.txt`).map((line) => ({ language, line })));

test('of the lists by an author who had not seen the grammar at most 3 % of the phrases are missed, and no talk is taken [recover.go-on]', () => {
  const resume = allOf('resume-unseen', 'resume');
  const talk = allOf('resume-unseen', 'talk');
  const missed = resume.filter(({ language, line }) => !isResumeIntent(line, { languages: [language] }));
  counts.push(`unseen: ${missed.length} of ${resume.length} missed, of ${talk.length} lines of talk none taken`);
  expect(resume.length).toBeGreaterThanOrEqual(140);
  expect(talk.length).toBeGreaterThanOrEqual(330);
  expect(missed.length / resume.length).toBeLessThanOrEqual(0.03);
  expect(talk.filter(({ line }) => isResumeIntent(line))).toEqual([]);
});

test('at most 0.1 % of the ordinary talk of all lists is taken [recover.go-on]', () => {
  const asked = new Set(
    ['resume', 'resume-unseen'].flatMap((folder) => allOf(folder, 'resume')).map(({ line }) => line),
  );
  const talk = ['resume', 'resume-unseen', ...stopFolders]
    .flatMap((folder) => allOf(folder, 'talk'))
    .filter(({ line }) => !asked.has(line));
  const taken = talk.filter(({ line }) => isResumeIntent(line));
  counts.push(`all: ${taken.length} of ${talk.length} lines of talk taken`);
  expect(talk.length).toBeGreaterThan(10_000);
  expect(taken.length / talk.length).toBeLessThanOrEqual(0.001);
});

test('a question, a long text, and nothing are no such phrase [recover.go-on]', () => {
  for (const text of [
    'continue?',
    'go on?',
    '',
    ' ',
    '!',
    'ok',
    'please',
    'belay',
    null,
    undefined,
    'continue '.repeat(200),
  ])
    expect(isResumeIntent(text), String(text)).toBe(false);
  expect(isResumeIntent('Rita, continue', { names: ['Rita'] })).toBe(true);
  expect(isResumeIntent('Rita, continue')).toBe(false);
  expect(isResumeIntent('continue', { languages: [] })).toBe(false);
});

afterAll(() => console.log(counts.join('\n')));
