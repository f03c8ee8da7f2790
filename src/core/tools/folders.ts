// Compares folders by their real paths.
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** Whether the path is the folder, or lies below it. Both are real paths. */
export const contains = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Returns a path with every link followed, as far as the path exists and may be read. */
export function realFolder(path: string): string {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), ...missing);
    } catch (error) {
      if (dirname(at) === at) throw error;
      missing.unshift(basename(at));
    }
  }
}

/** Returns the outermost of the folders that contains a real path, as a real path. */
export const outermostFolder = (folders: readonly string[], real: string): string | undefined =>
  folders
    .map(realFolder)
    .filter((folder) => contains(folder, real))
    .sort((a, b) => a.length - b.length)[0];
