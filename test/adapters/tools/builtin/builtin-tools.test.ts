// The tools that come with Belay: each has a case of the tool contract, and its row in the page on tools.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtinNames } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { callKind } from '../../../../src/core/words/call-kinds.ts';
import { read } from '../../../house/tree.ts';

const folder = new URL('.', import.meta.url);
const tests = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));

test('each tool keeps the tool contract in a test of this folder', () => {
  const isTested = (name: string) => tests.some((text) => text.includes(`testToolContract('${name}'`));
  expect(builtinNames().filter((name) => !isTested(name))).toEqual([]);
});

test('each tool is in the table of docs/how-to/add-a-tool.md, and no other', () => {
  const table = read('docs/how-to/add-a-tool.md').split("\n## Belay's own tools\n")[1]?.split('\n## ')[0] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual([...builtinNames()].sort());
});

test('user interfaces know the kind of each tool', () => {
  expect(builtinNames().filter((name) => callKind(name) === 'other')).toEqual([]);
});
