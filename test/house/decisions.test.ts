// The index of docs/decisions lists every decision with the title, the status and the date that its file has.
import { expect, test } from 'vitest';
import { filesBelow, read } from './tree.ts';

interface Decision {
  readonly file: string;
  readonly title: string;
  readonly status: string;
  readonly date: string;
}

const folder = 'docs/decisions';
const head = /^# (.+)\n\n(Accepted|Superseded by \[(\d\d)\]\((.+\.md)\)), (\d{4}-\d\d-\d\d)\.\n\n/;

/** Reads the head of a decision; null where it has none. */
function decisionIn(file: string, text: string): Decision | null {
  const [, title, status, by, , date] = head.exec(text) ?? [];
  if (!title || !status || !date) return null;
  return { file, title, status: by ? `superseded by ${by}` : 'accepted', date };
}

/** Reads the rows of the index. */
const rowsIn = (page: string): Decision[] =>
  [...page.matchAll(/^\| \[(\d\d)\]\((.+?)\) \| (.+) \| (.+) \| (.+) \|$/gm)].flatMap(
    ([, , file, title, status, date]) => (file && title && status && date ? [{ file, title, status, date }] : []),
  );

const files = filesBelow(folder)
  .map((path) => path.slice(folder.length + 1))
  .filter((name) => name !== 'README.md');

test('each decision says its title, its status and its date', () => {
  expect(files.filter((file) => decisionIn(file, read(`${folder}/${file}`)) === null)).toEqual([]);
});

test('the index lists each, in order', () => {
  expect(rowsIn(read(`${folder}/README.md`))).toEqual(files.map((file) => decisionIn(file, read(`${folder}/${file}`))));
});

test('the numbers count from 01, without a gap', () => {
  expect(files.map((file) => Number(file.slice(0, 2)))).toEqual(files.map((_, index) => index + 1));
});

test('a decision that was superseded names one that exists', () => {
  const named = files.flatMap((file) => head.exec(read(`${folder}/${file}`))?.[4] ?? []);
  expect(named.filter((file) => !files.includes(file))).toEqual([]);
});

test('the reading sees what is missing', () => {
  expect(decisionIn('01-a.md', '# A\n\nAccepted, 2026-01-02.\n\nBecause.\n')).toEqual({
    file: '01-a.md',
    title: 'A',
    status: 'accepted',
    date: '2026-01-02',
  });
  expect(decisionIn('01-a.md', '# A\n\nSuperseded by [02](02-b.md), 2026-01-02.\n\nB.\n')?.status).toBe(
    'superseded by 02',
  );
  expect(decisionIn('01-a.md', '# A\n\nBecause.\n')).toBeNull();
  expect(rowsIn('| [01](01-a.md) | A | accepted | 2026-01-02 |\n')).toHaveLength(1);
});
