// `npm run verify -- --long` runs every long program that the documents name, and CONTRIBUTING.md has the minutes of each.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitSteps, longSteps } from '../../scripts/verify-steps.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));

/** Scripts that check nothing: they start something, make something, or are parts of a step. */
const noChecks = new Set([
  'agents',
  'belay',
  'build',
  'chat',
  'cluster',
  'draw',
  'fix',
  'floors',
  'metrics',
  'openapi',
  'screenshots',
  'verify',
]);

/** Scripts that tests of `npm test` alone, and what it runs in a browser, are a part of. */
const partsOfTest = new Set(['test:browser']);

test('it runs every program that a document names', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'scripts/**/*.md', 'src/**/*.md'], { cwd: root });
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, name = '']) => name),
  );
  const run = new Set([...commitSteps, ...longSteps].map(({ script }) => script));
  const left = [...new Set(named)].filter((name) => !run.has(name) && !noChecks.has(name) && !partsOfTest.has(name));
  expect(left).toEqual([]);
  expect([...run].filter((name) => !(name in scripts))).toEqual([]);
});

test('CONTRIBUTING.md lists each long program with its minutes', () => {
  const page = read('CONTRIBUTING.md');
  const [, table = ''] = page.split('| long program | minutes |');
  const rows = [...(table.split('\n\n')[0]?.matchAll(/^\| `npm run ([a-z:-]+)[^`]*` \| [\d.]+ \|/gm) ?? [])];
  expect(rows.map(([, name]) => name)).toEqual(longSteps.map(({ script }) => script));
});

test('a step that is unknown is named, with those that there are', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/verify.ts'), '--long', 'nothing'], {
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr).toContain('There is no step nothing. Steps: lint, types, test, examples, test:core');
});
