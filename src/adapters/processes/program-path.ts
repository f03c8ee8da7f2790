// Looks a program up on a PATH as a shell does.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of the first of these names that a folder of `path` has as a program; null: none has. */
export function findProgram(names: readonly string[], path = ''): string | null {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const candidates = names.flatMap((name) =>
    name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name)),
  );
  return candidates.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
