// Node's compile cache for the commands: nearly half of the CPU of their start is compiling.
//
// Node runs what it finds in this folder, so that it has to belong to this user, and nobody else may write to it.
import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const writableByOthers = 0o022;

/** Returns the folder: `belay/compiled` in XDG_CACHE_HOME, or in `~/.cache`. */
function cacheFolder({ XDG_CACHE_HOME: cache = '' }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'belay', 'compiled');
}

/** What is imported from now on is compiled once. Where there can be no such folder, it is compiled each time. */
export function useCompileCache(): void {
  try {
    const folder = cacheFolder(process.env);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    if (uid === process.getuid?.() && (mode & writableByOthers) === 0) module.enableCompileCache(folder);
  } catch {} // a system without a home that may be written to
}
