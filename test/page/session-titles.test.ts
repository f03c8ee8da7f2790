// The titles of sessions where several are shown: those with the same first words are told apart.
import { expect, test } from 'vitest';
import { distinctTitles } from '../../src/page/page-state/use-session-titles.ts';

test('sessions with the same first words have their ids before them, others do not', () => {
  const titles = new Map([
    ['a', 'hello'],
    ['b', 'run the build'],
    ['c', 'hello'],
  ]);
  expect([...distinctTitles(titles).values()]).toEqual(['a: hello', 'run the build', 'c: hello']);
});
