// The core alone: neither it nor its tests import an adapter. `npm run test:core` checks the types and runs the tests in a folder without the rest of the sources.
import { expect, test } from 'vitest';
import { plantedImports, reachOfCore, standIns } from '../../scripts/core-alone.ts';
import { read } from './tree.ts';

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
  const source = plantedImports.join('\n').replaceAll('../../../', up);
  const { strays } = reachOfCore((path) => (path === importer ? `${read(path)}\n${source}` : read(path)));
  const after = read(importer).split('\n').length;
  expect(strays).toEqual([
    `${importer}:${after + 1} ${up}src/adapters/acp/kept-sessions.ts`,
    `${importer}:${after + 2} ${up}src/adapters/processes/running-families.ts`,
    `${importer}:${after + 3} ${up}src/adapters/stores/sqlite.ts`,
    `${importer}:${after + 4} ws`,
  ]);
});
