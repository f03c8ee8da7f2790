// Finds the test files that share a process, one after another: a process for each costs more than most of them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** Folders whose files measure or change the process that they run in. */
const isolatedFolders = ['bench', 'hostile', 'adapters/processes'];

/** Words of a file that replaces modules or time, or that measures or changes the process that it runs in. */
const isolatedWords = [
  /\bvi\.(mock|doMock|unmock|hoisted|resetModules|stubEnv|stubGlobal|useFakeTimers|setSystemTime)\b/,
  /process\.env\[[^\]]+\]\s*(\?\?|\|\|)?=[^=]|delete process\.env|Object\.assign\(process\.env/,
  /process\.(on|once|emit|off|chdir|umask|memoryUsage|cpuUsage|getActiveResourcesInfo|exitCode)\b|process\.kill\(process\.pid/,
  /support\/leaks\.ts|\bFinalizationRegistry\b|\bWeakRef\b|event-loop-lag\.ts|monitorEventLoopDelay|eventLoopUtilization/,
  /\bzombies\(|\bterminateLeftover/, // they look for processes of this one, or end them
];

/** Returns the paths of the test files that share a process, from the root of the checkout. */
export function filesOfSharedProcess(): string[] {
  return globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    if (isolatedFolders.some((folder) => file.startsWith(`test/${folder}/`))) return false;
    const text = readFileSync(join(root, file), 'utf8');
    return !isolatedWords.some((words) => words.test(text));
  });
}
