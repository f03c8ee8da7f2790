// Checks that the types of the machines and the core are right without the rest of the sources (npm run test:core).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyCore, corePackages, typeErrorsOfCore } from './core-alone.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-core-'));
try {
  copyCore(folder);
  const errors = await typeErrorsOfCore(folder);
  for (const line of errors) console.error(line);
  if (errors.length > 0) process.exitCode = 1;
  else console.log(`machines/ and src/core have right types alone, with ${corePackages.join(', ')}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
