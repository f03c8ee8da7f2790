// The files that break a rule of the house today: a list that can only shrink. `node test/house/still-to-do.ts` takes out what keeps its rule by now.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Rule, rules } from './rules.ts';
import { read, sourcesBelow } from './tree.ts';

const list = new URL('still-to-do.txt', import.meta.url);

/** The lines of the list: a rule's id, a space, a path. */
export const stillToDo = (): string[] =>
  readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** Returns the files that break a rule, each with what breaks it. */
export const breachesOf = ({ folders, breaches }: Rule): Map<string, string[]> =>
  new Map(
    sourcesBelow(folders).flatMap((path) => {
      const found = breaches(path, read(path));
      return found.length > 0 ? [[path, found] as const] : [];
    }),
  );

if (import.meta.main) {
  const broken = new Set(rules.flatMap((rule) => [...breachesOf(rule).keys()].map((path) => `${rule.id} ${path}`)));
  const left = process.argv.includes('--all') ? [...broken] : stillToDo().filter((line) => broken.has(line));
  writeFileSync(
    list,
    [...new Set(left)]
      .sort()
      .map((line) => `${line}\n`)
      .join(''),
  );
}
