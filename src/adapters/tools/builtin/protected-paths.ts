// Rejects a path at which Belay's own files are: its store, configuration, tokens and keys may lie below a root.
import { statSync } from 'node:fs';
import { contains, realFolder } from '../../../core/tools/folders.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';

/**
 * Throws a `ToolRefusal` (path_protected) if the path is one of the protected ones, lies below one, or is another name of one (a hard link).
 * @param real A real path. Its end may not exist.
 * @param path The path as the call has it.
 */
export function assertUnprotected(real: string, path: string, protectedPaths: readonly string[] = []): void {
  if (protectedPaths.length === 0) return;
  const file = identify(real);
  const isProtected = protectedPaths.some((own) => {
    const realOwn = realFolder(own);
    return contains(realOwn, real) || (file !== null && file === identify(realOwn));
  });
  if (isProtected) throw new ToolRefusal('path_protected', `${path} belongs to Belay itself: no tool may touch it.`);
}

/** Identifies a file by its device and inode; null: there is none. */
function identify(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.dev}:${stat.ino}` : null;
}
