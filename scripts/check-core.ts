// Checks the types of the machines, the core and their tests, and runs the tests, without the rest of the sources (npm run test:core).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyCore, corePackages, plantedImports, plantedUses, testCore, typeErrorsOfCore } from './core-alone.ts';

/** Files whose imports must be errors: otherwise an import of an adapter would not be one. */
const planted = ['src/core/runtime/planted.ts', 'test/core/runtime/planted.test.ts'];

/** Resolves with what is wrong with the types of the copy, as lines. */
async function problemsOfTypes(folder: string): Promise<readonly string[]> {
  const source = [...plantedImports, plantedUses].join('\n');
  for (const path of planted) writeFileSync(join(folder, path), source);
  const errors = await typeErrorsOfCore(folder);
  for (const path of planted) rmSync(join(folder, path));
  const places = planted.flatMap((path) => plantedImports.map((_, i) => `${path}(${i + 1},`));
  const isAt = (place: string) => (line: string) => line.startsWith(place) && line.includes(' error TS2307:');
  const missed = places.filter((place) => !errors.some(isAt(place)));
  return [
    ...errors.filter((line) => !places.some((place) => isAt(place)(line))),
    ...missed.map((place) => `${place}1): a planted import of what the core may not import is no error`),
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'belay-core-'));
try {
  copyCore(folder);
  const problems = await problemsOfTypes(folder);
  for (const line of problems) console.error(line);
  if (problems.length === 0)
    console.log(
      `The types of the core and its tests are right with ${corePackages.join(', ')}, and planted imports are errors.`,
    );
  process.exitCode = problems.length > 0 ? 1 : ((await testCore(folder)) ?? 1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
