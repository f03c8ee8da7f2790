// Replaces a file atomically: it has its old or its new content, never a part, whenever the call or the host is stopped.
import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ToolContext } from '../../../core/contracts/tool.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import { withDraft } from './draft-file.ts';
import { type FileOwner, openFolder } from './open-in-roots.ts';
import { type ResolvedPath, resolveFile } from './path-guard.ts';

/** Splits a path into the folder to write in, and the name to write there. */
function split({ root, existing, missing }: ResolvedPath): { readonly folder: ResolvedPath; readonly name: string } {
  const name = missing.at(-1);
  if (name !== undefined) return { folder: { root, existing, missing: missing.slice(0, -1) }, name };
  return { folder: { root, existing: dirname(existing), missing: [] }, name: basename(existing) };
}

/** Returns the permissions and the owner of the file that is to be replaced; null if there is none yet. */
async function stateOf(resolved: ResolvedPath, path: string): Promise<(FileOwner & { readonly mode: number }) | null> {
  if (resolved.missing.length > 0) return null;
  const stat = await lstat(resolved.existing);
  if (!stat.isFile()) throw new ToolRefusal('tool_failed', `${path} is not a regular file.`);
  return { mode: stat.mode & 0o777, uid: stat.uid, gid: stat.gid };
}

/**
 * Replaces a file, in a shielded region.
 * @param owner Whom it will belong to if it is new; one that exists keeps its owner then. Left out: the user of this process.
 * @returns Rejects, with the file unchanged, if the signal has fired before the region.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  context: Pick<ToolContext, 'roots' | 'protectedPaths' | 'signal' | 'call' | 'shield'>,
  owner?: FileOwner | undefined,
): Promise<void> {
  const { signal, call, shield } = context;
  const resolved = resolveFile(context, path);
  const before = await stateOf(resolved, path);
  const { folder: target, name } = split(resolved);
  await using folder = await openFolder(target, context, owner);
  await withDraft({ folder, call, content, mode: before?.mode, owner: owner && (before ?? owner) }, async (draft) => {
    signal.throwIfAborted();
    await shield(async () => {
      await rename(draft, join(folder.base, name));
      await folder.sync();
    });
  });
}
