// Rows that are drawn again and again below printed lines, on an emulated terminal.
import { expect, test } from 'vitest';
import { type Frame, LiveRegion, wrapsAgain } from '../../../src/programs/terminal/live-region.ts';
import { createEmulatedScreen } from '../../support/emulated-screen.ts';

function start(columns = 80, rows = 24) {
  const screen = createEmulatedScreen(columns, rows);
  let writes = 0;
  const region = new LiveRegion((text) => {
    writes++;
    screen.write(text);
  }, true);
  const printed: string[] = [];
  let frame: Frame = frameOf('> ');
  return {
    screen,
    region,
    writes: () => writes,
    update(lines: readonly string[], next: Frame) {
      printed.push(...lines);
      frame = next;
      region.update(lines, next, screen.size().columns);
    },
    resize(columns: number, rows = 24) {
      screen.resize(columns, rows);
      region.onResize(columns);
      frame = { ...frame, rows: frame.rows.map((row) => row.slice(0, columns)) };
      region.update([], frame, columns);
    },
    async isRight(what = '') {
      await screen.settled();
      expect(screen.lines(), what).toEqual([...printed, ...frame.rows].map((line) => line.trimEnd()));
      expect(screen.rows()[screen.cursor().row], what).toBe(frame.rows[frame.cursor.row]?.trimEnd());
      expect(screen.cursor().column, what).toBe(frame.cursor.column);
    },
  };
}

/** The cursor is at the end of the last row. */
const frameOf = (...rows: readonly string[]): Frame => ({
  rows,
  cursor: { row: rows.length - 1, column: rows.at(-1)?.length ?? 0 },
});

test('a region grows, shrinks and changes in place, and lines are printed above it', async () => {
  const { update, isRight } = start();
  update([], frameOf('> '));
  await isRight('empty');
  update(['one', 'two'], frameOf('status', '> ab'));
  await isRight('printed');
  update([], frameOf('a', 'b', 'c', '> ab'));
  await isRight('grown');
  update(['three'], frameOf('c', '> abc'));
  await isRight('shrunk and printed');
  update([], frameOf('> '));
  await isRight('shrunk');
  update([], { rows: ['> line one', '  line two', '  menu'], cursor: { row: 0, column: 4 } });
  await isRight('cursor above the last row');
  update(['four'], frameOf('> '));
  await isRight('printed with the cursor above');
});

test('it scrolls at the end of the screen, and the printed lines stay in the scrollback', async () => {
  const { update, isRight } = start(40, 6);
  for (let i = 0; i < 30; i++) update(i % 3 === 0 ? [`line ${i}`] : [], frameOf(...'abcd'.slice(0, i % 4), '> '));
  await isRight();
});

test('nothing is written for the same frame', () => {
  const { update, writes } = start();
  update([], frameOf('a', '> '));
  update([], frameOf('a', '> '));
  expect(writes()).toBe(1);
});

test('a row that is too wide, whatever it holds, stays one row', async () => {
  const { screen, region } = start(20, 6);
  region.update([], { rows: ['日本語'.repeat(9), 'x'.repeat(20), '> '], cursor: { row: 2, column: 2 } }, 20);
  await screen.settled();
  expect(screen.rows()).toHaveLength(3);
  region.update(['done'], frameOf('> '), 20);
  await screen.settled();
  expect(screen.rows()).toEqual(['done', '>']);
});

test.each([
  [80, 120],
  [120, 80],
  [120, 40],
  [80, 33],
])('from %i to %i columns nothing of it is left over, and no printed line is lost', async (from, to) => {
  const { update, resize, isRight } = start(from);
  const words = 'word '.repeat(40).slice(0, from);
  update(['first', 'long '.repeat(60).trim(), 'last'], frameOf(words, words.slice(1), 'short', '> typed'));
  await isRight('before');
  resize(to);
  await isRight('after');
  update(['more'], frameOf(words.slice(0, to), '> typed'));
  await isRight('next');
  resize(from);
  await isRight('back');
});

test('any series of changes leaves what it should on the screen', async () => {
  let seed = 7;
  const next = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * limit);
  };
  const { update, resize, isRight, screen } = start(60, 12);
  for (let i = 0; i < 150; i++) {
    if (next(6) === 0) resize(20 + next(60), 12);
    const { columns } = screen.size();
    const rows = Array.from({ length: next(6) }, () => 'r'.repeat(1 + next(columns)));
    const lines = Array.from({ length: next(3) }, () => 'l'.repeat(1 + next(150)));
    update(lines, frameOf(...rows, `> ${'i'.repeat(next(10))}`));
    await isRight(`step ${i}`);
  }
});

test('terminals that do not wrap their lines again are known', () => {
  expect(wrapsAgain({ TERM: 'xterm-256color' })).toBe(true);
  expect(wrapsAgain({ TERM: 'xterm', XTERM_VERSION: 'XTerm(390)' })).toBe(false);
  expect(wrapsAgain({ TERM: 'screen', TMUX: '/tmp/tmux' })).toBe(true);
  expect(wrapsAgain({ TERM: 'linux' })).toBe(false);
});
