// Checks the types of the machines, the core and their tests, and runs the tests, without the rest of the sources (npm run test:core).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyCore, corePackages, testCore, typeErrorsOfCore } from './core-alone.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-core-'));
try {
  copyCore(folder);
  const errors = await typeErrorsOfCore(folder);
  for (const line of errors) console.error(line);
  if (errors.length === 0)
    console.log(`The types of the core and its tests are right with ${corePackages.join(', ')}.`);
  process.exitCode = errors.length > 0 ? 1 : ((await testCore(folder)) ?? 1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
