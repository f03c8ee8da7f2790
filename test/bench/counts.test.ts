// Holds what the runtime does for a turn and for a stop to the counts of docs/benchmarks.md.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read } from '../house/tree.ts';

const root = join(import.meta.dirname, '..', '..');

type Row = Readonly<Record<string, number>>;

/** What bench/counts.ts calls the columns of the table. */
const columns = ['commits', 'controllers', 'actors', 'microsteps', 'frames'];

/** Returns today's numbers, or the goals: a number without a goal has reached it. */
function readTable(page: string, which: 'today' | 'goal'): Record<string, Row> {
  const numberIn = (cell: string): number => {
    const [, today, goal = today] = /^(\d+)(?: \((\d+)\))?$/.exec(cell.trim()) ?? [];
    return Number(which === 'today' ? today : goal);
  };
  const rows = page.split('\n').filter((line) => /^\| .* \| \d/.test(line));
  const cases = rows.map((line): [string, Row] => {
    const [name = '', ...cells] = line.slice(1, -1).split('|');
    return [name.trim(), Object.fromEntries(cells.map((cell, i) => [columns[i], numberIn(cell)]))];
  });
  const [, files = ''] = /`npm start` loads (\d+ \(\d+\)|\d+) files/.exec(page) ?? [];
  return { ...Object.fromEntries(cases), boot: { files: numberIn(files) } };
}

/** The section with the counts: the figures after it belong to one machine. */
const [page = ''] = read('docs/benchmarks.md').split('\n## Figures of one machine\n');

test('a turn, a stop and a start do what docs/benchmarks.md says: a change that raises a count is red', () => {
  const printed = execFileSync(process.execPath, ['bench/counts.ts', '--json'], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual(readTable(page, 'today'));
});

test('no goal is above the number of today', () => {
  const [today, goals] = [readTable(page, 'today'), readTable(page, 'goal')];
  const reached = Object.entries(goals).flatMap(([name, row]) =>
    Object.entries(row).filter(([column, goal]) => !(goal <= (today[name]?.[column] ?? Number.NaN))),
  );
  expect(reached).toEqual([]);
});

test('a count that is missing, or no number, is seen', () => {
  const [row] = Object.values(readTable('| a turn | 4 (2) | 5 |\n', 'goal'));
  expect(row).toEqual({ commits: 2, controllers: 5 });
  expect(readTable('| a turn | 4 | many |\n', 'today')['a turn']?.['controllers']).toBeNaN();
});
