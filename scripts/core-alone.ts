// Copies the machines, the core and their tests into a folder of their own, with links to the packages that they may use, and checks the types there.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { importsOf } from '../test/house/imports.ts';
import { read, root, sourcesBelow } from '../test/house/tree.ts';

/** All that the machines, the core and their tests import from outside, and the types of Node. */
export const corePackages: readonly string[] = [
  'xstate',
  'zod',
  'fast-string-truncated-width',
  'marked',
  '@types/node',
  'vitest',
  'fast-check',
];

/** The files outside the core that its tests run on, and why: each imports nothing but the core and files of this list. */
export const standIns: Readonly<Record<string, string>> = {
  'scripts/prove/laws/log-laws.ts': 'the laws of a log, which random conversations keep as well',
  'scripts/prove/laws/log-view.ts': 'a log as its laws read it',
  'scripts/prove/laws/stop-laws.ts': 'the laws of stops',
  'src/adapters/models/estimate-usage.ts': 'a part of the scripted model',
  'src/adapters/models/scripted.ts': 'a model that a test writes: the contract of a provider, and no endpoint',
  'src/adapters/stores/memory-index.ts': 'a part of the log in memory',
  'src/adapters/stores/memory-leases.ts': 'a part of the log in memory',
  'src/adapters/stores/memory.ts': 'the contract of the log, without a file or a process',
  'src/embed/bound-session.ts': 'the functions of the runtime for one session, bound to its id',
  'src/testing/counted-clock.ts': 'a part of the recording context',
  'src/testing/recorded-shields.ts': 'a part of the recording context',
  'src/testing/recorder.ts': 'an observer and a listener that keep what they get',
  'src/testing/recording-context.ts': 'the context of a tool, without a session',
};

const folders = ['machines', 'src/core', 'test/core', 'test/machines'];
/** What the tests read beside sources: logs that earlier versions wrote. */
const data = 'test/fixtures/stores';
const setups = ['test/support/state-folder.ts', 'test/support/settled-imports.ts'];
const isCopied = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`));
const isSupport = (path: string): boolean => /^test\/(support|contract)\//.test(path);
const isPackage = (name: string): boolean =>
  name.startsWith('node:') || corePackages.some((known) => name === known || name.startsWith(`${known}/`));

export interface Reach {
  /** The files outside of the folders that they import, directly or through each other. */
  readonly files: readonly string[];
  /** The imports of what the copy does not have, each with its place. */
  readonly strays: readonly string[];
}

/** What the core and its tests may not import, in each form of an import: a type, a value that is loaded later, a value, and a package. Written for a file three folders below the root. */
export const plantedImports: readonly string[] = [
  "import type { KeptSessions } from '../../../src/adapters/acp/kept-sessions.ts';",
  "export const load = () => import('../../../src/adapters/processes/running-families.ts');",
  "import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';",
  "import { WebSocket } from 'ws';",
];

/** What makes use of them, or the compiler would drop them. */
export const plantedUses = 'export type { KeptSessions };\nexport { createSqliteLog, WebSocket };';

/** Follows the imports of the core and its tests, type imports too. `readSource` returns the text of a file of the checkout. */
export function reachOfCore(readSource: (path: string) => string = read): Reach {
  const outside = new Set(['vitest.config.ts', ...setups]);
  const strays: string[] = [];
  const follow = (path: string): void => {
    for (const { specifier, path: target, line } of importsOf(path, readSource(path))) {
      if (target === null ? isPackage(specifier) : isCopied(target)) continue;
      if (target !== null && (isSupport(target) || target in standIns)) outside.add(target);
      else strays.push(`${path}:${line} ${specifier}`);
    }
  };
  for (const path of sourcesBelow(folders)) follow(path);
  for (const path of outside) follow(path); // grows while it is read
  return { files: [...outside].sort(), strays };
}

/** Copies the core and its tests into an empty folder. */
export function copyCore(folder: string): void {
  for (const path of [...folders, data, ...reachOfCore().files, 'tsconfig.json', 'package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const name of corePackages) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  const config = { extends: './tsconfig.json', include: [...folders, 'vitest.config.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.core.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'vitest.core.config.ts'), testConfig);
  writeFileSync(join(folder, judge), judgeSetup);
}

/** The setup file by which the copy judges the messages of its tests as the whole suite does. */
const judge = 'judge-families.ts';

/** The judge knows adapters: it is loaded from the checkout, where nothing of the copy can import from. */
const judgeSetup = `import { familyProblems } from ${JSON.stringify(join(root, 'test/support/strict/family-problems.ts'))};
import { addFamilies } from './test/support/message-pairing.ts';
addFamilies(familyProblems);
`;

/** The configuration of the whole suite, with that judge instead of the setup that knows adapters. */
const testConfig = `import config from './vitest.config.ts';
export default { ...config, test: { ...config.test, setupFiles: ${JSON.stringify([...setups, judge])} } };
`;

/** Resolves with the lines of the compiler about the copy. Empty: its types are right. */
export const typeErrorsOfCore = (folder: string): Promise<readonly string[]> =>
  typeErrorsOf(folder, 'tsconfig.core.json');

/** Runs the tests of the copy, which report to the terminal. Resolves with the exit code. */
export function testCore(folder: string): Promise<number | null> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'vitest.core.config.ts'];
  return ended(spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' }));
}

/** Resolves with the lines of the compiler about a folder. Empty: its types are right. `config`: the name of its configuration. */
export async function typeErrorsOf(folder: string, config: string): Promise<readonly string[]> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  // each further checker works out again what the first one knows: the default of four takes twice the CPU of one
  const args = [compiler, '-p', config, '--checkers', '1', '--pretty', 'false'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const [exitCode, output] = await Promise.all([ended(child), text(child.stdout)]);
  const lines = output.split('\n').filter((line) => line !== '');
  if (exitCode !== 0 && lines.length === 0) throw new Error(`The compiler ended with ${exitCode} and no message.`);
  return exitCode === 0 ? [] : lines;
}

/** Resolves with the exit code of a child; rejects if it cannot be started. */
const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
