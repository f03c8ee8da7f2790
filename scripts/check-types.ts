// Checks the types of the checkout and of the page. A check after a change looks again at what depends on the changed declarations: that is why they are
// emitted, though nobody reads them. Without them the first change of a file would cost two thirds of a whole check.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Each project with the name of what its last check has left in `.cache/`. */
const projects = [
  ['.', 'types'],
  ['src/page', 'page-types'],
] as const;

/** Each further checker works out again what the first one knows: four of them, the default, take twice the CPU of one, and on two cores longer. */
const checkers = String(Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))));

for (const [project, name] of projects) {
  const cache = join('.cache', name);
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', '.', '--outDir', cache];
  const build = ['--incremental', '--tsBuildInfoFile', `${cache}.tsbuildinfo`];
  const args = ['-p', project, '--checkers', checkers, ...emit, ...build];
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: root, stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}
