// The core alone: without the rest of the sources its types and those of its tests are right, and an import of an adapter is an error.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyCore, reachOfCore, standIns, typeErrorsOfCore } from '../../scripts/core-alone.ts';
import { read } from './tree.ts';

/** A type, a value that is loaded later, a value, and a package: each of which the core and its tests may not import. */
const planted = [
  "import type { KeptSessions } from '../../../src/adapters/acp/kept-sessions.ts';",
  "export const load = () => import('../../../src/adapters/processes/running-families.ts');",
  "import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';",
  "import { WebSocket } from 'ws';",
  'export type { KeptSessions };',
  'export { createSqliteLog, WebSocket };',
].join('\n');

test('the core and its tests import each other, support of tests, and stand-ins, each of which is needed', () => {
  const { files, strays } = reachOfCore();
  expect(strays).toEqual([]);
  expect(files.filter((path) => /^(src|scripts)\//.test(path))).toEqual(Object.keys(standIns).sort());
});

test.each([
  'src/core/runtime/retention.ts',
  'test/core/session/cut.test.ts',
  'test/support/harness.ts',
  'src/adapters/stores/memory.ts',
])('what %s may not import is found, in whatever form it is imported', (importer) => {
  const up = '../'.repeat(importer.split('/').length - 1);
  const source = planted.replaceAll('../../../', up);
  const { strays } = reachOfCore((path) => (path === importer ? `${read(path)}\n${source}` : read(path)));
  const after = read(importer).split('\n').length;
  expect(strays).toEqual([
    `${importer}:${after + 1} ${up}src/adapters/acp/kept-sessions.ts`,
    `${importer}:${after + 2} ${up}src/adapters/processes/running-families.ts`,
    `${importer}:${after + 3} ${up}src/adapters/stores/sqlite.ts`,
    `${importer}:${after + 4} ws`,
  ]);
});

test('in a folder without adapters the types of the core and its tests are right, and only planted imports are errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-core-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyCore(folder);
  const importers = ['src/core/runtime/planted.ts', 'test/core/runtime/planted.test.ts'];
  for (const importer of importers) writeFileSync(join(folder, importer), planted);
  const places = (await typeErrorsOfCore(folder)).map((line) => /^(.*)\(\d+,\d+\): error (TS\d+)/.exec(line)?.slice(1));
  expect(places).toEqual(importers.flatMap((importer) => Array.from({ length: 4 }, () => [importer, 'TS2307'])));
}, 300_000);
