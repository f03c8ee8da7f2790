// The compile cache of Node for the programs of the checkout that tests start: half of the start of such a program is compiling.
//
// Node keeps one entry for each file, by its path, and compares the source before it uses one: an old entry is compiled again.
// A process writes its entries at an orderly exit, each under a name of its own first: no other process sees half of one.
import { join } from 'node:path';

/** The variable by which Node gets the folder. */
export const compileCacheVariable = 'NODE_COMPILE_CACHE';

/** Sets the folder for the run and its workers. It is below node_modules, so that the next run starts with it. */
export function setCompileCache(): void {
  process.env[compileCacheVariable] ??= join(
    import.meta.dirname,
    '..',
    '..',
    'node_modules',
    '.cache',
    'tests-compile',
  );
}

/** Returns the variable for the environment of a child process. */
export function compileCache(): Record<string, string> {
  const folder = process.env[compileCacheVariable];
  return folder === undefined ? {} : { [compileCacheVariable]: folder };
}
