// Lists and reads the files of the checkout, by path relative to the root, with forward slashes.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const skipped = new Set(['node_modules', 'dist']);

/** Returns every file below `folder` of `base`, sorted; none where the folder does not exist. Dot folders and build output are left out. */
export function filesBelow(folder: string, base = root): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    let entries: ReturnType<typeof list>;
    try {
      entries = list(join(base, path));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
      throw error;
    }
    for (const entry of entries) {
      if (entry.name.startsWith('.') || skipped.has(entry.name)) continue;
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(inner);
      else found.push(inner);
    }
  };
  walk(folder);
  return found.sort();
}

const list = (path: string) => readdirSync(path, { withFileTypes: true });

/** Returns the TypeScript and JavaScript sources below the folders. */
export function sourcesBelow(folders: readonly string[], base = root): string[] {
  return folders.flatMap((folder) => filesBelow(folder, base)).filter((path) => /\.(ts|tsx|mts|js|mjs)$/.test(path));
}

/** Reads a file of the checkout. */
export function read(path: string, base = root): string {
  return readFileSync(join(base, path), 'utf8');
}
