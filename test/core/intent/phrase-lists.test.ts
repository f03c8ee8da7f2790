// Labeled lists of phrases that stop and of talk that does not: our own, and those of somebody who had not seen the grammar. Counts misses and false alarms.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { isCancelIntent } from '../../../src/core/intent/cancel-intent.ts';
import { stopLanguages } from '../../../src/core/intent/stop-phrase-options.ts';

const folders = [
  { name: 'own', at: new URL('./phrases/', import.meta.url), perStop: 15, perTalk: 15 },
  { name: 'independent', at: new URL('./lists/', import.meta.url), perStop: 60, perTalk: 200 },
];

const linesOf = (folder: URL, name: string) =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('# '));

const counts: string[] = [];
let stops = 0;
let talks = 0;
let missed = 0;
let alarms = 0;

describe.each(folders)('$name lists', ({ name, at, perStop, perTalk }) => {
  test.each(stopLanguages)('%s [intent.strict]', (language) => {
    const stop = linesOf(at, `${language}-stop.txt`);
    const talk = linesOf(at, `${language}-talk.txt`);
    expect(stop.length).toBeGreaterThanOrEqual(perStop);
    expect(talk.length).toBeGreaterThanOrEqual(perTalk);
    const alone = { languages: [language] };
    const misses = stop.filter((line) => !isCancelIntent(line, alone));
    const falseAlarms = talk.filter((line) => isCancelIntent(line) || isCancelIntent(line, alone));
    stops += stop.length;
    talks += talk.length;
    missed += misses.length;
    alarms += falseAlarms.length;
    counts.push(
      `${name} ${language}: ${misses.length} of ${stop.length} missed, ${falseAlarms.length} of ${talk.length} false alarms`,
    );
    expect({ misses, falseAlarms }).toEqual({ misses: [], falseAlarms: [] });
  });

  test('there is no list of another language', () => {
    const languages = new Set(readdirSync(at).map((file) => file.replace(/-(stop|talk)\.txt$/, '')));
    expect([...languages].sort()).toEqual([...stopLanguages].sort());
  });
});

afterAll(() => {
  console.log(counts.join('\n'));
  console.log(`phrases: ${stops} that stop, ${missed} missed; ${talks} of talk, ${alarms} false alarms`);
});
