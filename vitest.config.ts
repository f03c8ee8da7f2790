// How the tests run: most files share processes, the others have a process of their own.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { setCompileCache } from './test/support/compile-cache.ts';
import { filesOfSharedProcess } from './test/support/process-sharing.ts';
import { provedFiles } from './test/support/proved.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';
import { scaled, setTimeScale } from './test/support/time-scale.ts';

// No test talks to a real endpoint, whatever the shell that starts it has set.
for (const name of Object.keys(process.env))
  if (/^(OPENAI|BELAY)_/.test(name) && name !== 'BELAY_CHROMIUM') delete process.env[name];

// the workers are killed at their end: this process removes what they have left
const stateFolder = mkdtempSync(join(tmpdir(), 'belay-tests-state-'));
process.env['XDG_STATE_HOME'] = stateFolder;
process.on('exit', () => rmSync(stateFolder, { recursive: true, force: true }));

setCompileCache();

const maxWorkers = 4; // on two cores too: most tests wait for most of their time
setTimeScale(maxWorkers);
process.env['TEST_SEED'] ??= String(randomInt(2 ** 31));
console.log(`TEST_SEED=${process.env['TEST_SEED']} TEST_TIME_SCALE=${process.env['TEST_TIME_SCALE']}`);

const shared = filesOfSharedProcess();
const proved = provedFiles();

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: [...shared, ...proved] } },
      { extends: true, test: { name: 'shared', include: shared, exclude: proved, isolate: false } },
    ],
    pool: 'forks',
    setupFiles: ['test/support/state-folder.ts', 'test/support/settled-imports.ts', 'test/support/strict/families.ts'],
    maxWorkers,
    testTimeout: scaled(30_000),
    hookTimeout: scaled(30_000),
    teardownTimeout: scaled(10_000),
    expect: { poll: { timeout: scaled(5_000) } },
    reporters: ['default', new SummaryReporter()],
  },
});
