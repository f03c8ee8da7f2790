// docs/tutorial.md runs as it is written: each program that it has the reader start, with and without the Stop button.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atTheirLines, codeBlocksOf } from './code-blocks.ts';
import { read, root } from './tree.ts';

const page = read('docs/tutorial.md');
const blocks = codeBlocksOf(page).filter(({ language }) => language === 'ts');
const lineOf = (heading: string): number => page.split('\n').findIndex((line) => line.startsWith(heading));
const steps = blocks.filter(({ info }) => info === '');

let folder = '';
beforeAll(() => {
  mkdirSync(join(root, '.belay'), { recursive: true });
  folder = mkdtempSync(join(root, '.belay/tutorial-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program of the tutorial; `enterAfter`: presses Enter as soon as it has printed that. Resolves with what it printed, when it has exited with 0. */
async function run(name: string, source: string, enterAfter?: string): Promise<string> {
  const file = join(folder, name);
  writeFileSync(file, source);
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (data) => {
    printed += data;
    if (enterAfter !== undefined && printed.includes(enterAfter)) child.stdin.end('\n');
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  expect(code, printed).toBe(0);
  return printed;
}

test('step 1 says hello', async () => {
  const [hello] = blocks.filter(({ info }) => info === 'alone');
  expect(await run('hello.ts', atTheirLines(hello ? [hello] : []))).toBe(
    'Hello, I am a bot.\nOutcome of the turn: completed\n',
  );
});

test('up to step 4 both calls complete, and the process exits by itself', async () => {
  const printed = await run('four.ts', atTheirLines(steps.filter(({ line }) => line < lineOf('## 5.'))));
  expect(printed).toContain('  boats, page 6\n');
  expect(printed).toContain('  knots, page 6\n');
  expect(printed).toMatch(/That is all about boats and knots\.\n$/);
});

test('Enter stops all of it, and the receipt is the one of the page', async () => {
  const printed = await run('bot.ts', atTheirLines(steps), 'knots, page 1\n');
  const [, shown = ''] = /^```\n(Press Enter[\s\S]*?)^```$/m.exec(page) ?? [];
  const lines = (text: string) =>
    text
      .replaceAll(/in \d+ ms/g, 'in … ms')
      .trim()
      .split('\n');
  expect(lines(printed).toSorted()).toEqual(lines(shown).toSorted());
  // what is printed before it streams from two calls at once
  const afterStop = (text: string) => lines(text.slice(text.indexOf('Stopping')));
  expect(afterStop(printed)).toEqual(afterStop(shown));
});

test('without Enter the turn completes, and there is no receipt', async () => {
  const printed = await run('quiet.ts', atTheirLines(steps));
  expect(printed).toContain('Outcome of the turn: completed');
  expect(printed).not.toContain('Stopping');
  expect(printed).toMatch(/0 calls were stopped\.\n$/);
});
