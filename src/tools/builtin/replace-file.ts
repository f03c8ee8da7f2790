// Replaces a file atomically: it has its old or its new content, never a part, whenever the call or the host is stopped.
import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../refusal.ts';
import type { ToolContext } from '../tool.ts';
import { withDraft } from './draft-file.ts';
import { openFolder } from './open-in-roots.ts';
import { type ResolvedPath, resolveInRoots } from './path-guard.ts';

/** Splits a path into the folder to write in, and the name to write there. */
function split({ root, existing, missing }: ResolvedPath): { readonly folder: ResolvedPath; readonly name: string } {
  const name = missing.at(-1);
  if (name !== undefined) return { folder: { root, existing, missing: missing.slice(0, -1) }, name };
  return { folder: { root, existing: dirname(existing), missing: [] }, name: basename(existing) };
}

/** Returns the permissions of the file that is to be replaced; undefined if there is none yet. */
async function modeOf(resolved: ResolvedPath, path: string): Promise<number | undefined> {
  if (resolved.missing.length > 0) return undefined;
  const stat = await lstat(resolved.existing);
  if (!stat.isFile()) throw new Refusal('tool_failed', `${path} is not a regular file.`);
  return stat.mode & 0o777;
}

/**
 * Replaces a file, in a shielded region.
 * @returns Rejects, with the file unchanged, if the signal has fired before the region.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { roots, signal, call, shield }: Pick<ToolContext, 'roots' | 'signal' | 'call' | 'shield'>,
): Promise<void> {
  const resolved = resolveInRoots(roots, path);
  const mode = await modeOf(resolved, path);
  const { folder: target, name } = split(resolved);
  await using folder = await openFolder(target, roots);
  await withDraft({ folder, call, content, mode }, async (draft) => {
    signal.throwIfAborted();
    await shield(async () => {
      await rename(draft, join(folder.base, name));
      await folder.sync();
    });
  });
}
