// Puts a file in the place of the old one: it is either as it was or wholly the new one, whenever the call or the host is stopped.
import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../refusal.ts';
import type { ToolContext } from '../tool.ts';
import { withDraft } from './draft-file.ts';
import { openFolder } from './open-in-roots.ts';
import { type ResolvedPath, resolveInRoots } from './path-guard.ts';

/** The folder to write in, and the name to write there. */
function split({ root, existing, missing }: ResolvedPath): { readonly folder: ResolvedPath; readonly name: string } {
  const name = missing.at(-1);
  if (name !== undefined) return { folder: { root, existing, missing: missing.slice(0, -1) }, name };
  return { folder: { root, existing: dirname(existing), missing: [] }, name: basename(existing) };
}

/** The permissions of the file that is to be replaced; none where there is no file yet. */
async function modeOf(place: ResolvedPath, path: string): Promise<number | undefined> {
  if (place.missing.length > 0) return undefined;
  const stat = await lstat(place.existing);
  if (!stat.isFile()) throw new Refusal('tool_failed', `${path} is no regular file.`);
  return stat.mode & 0o777;
}

/** `shield` is entered for the commit. Rejects with the file as it was where it is not, and where the signal has fired before. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { roots, signal, call, shield }: Pick<ToolContext, 'roots' | 'signal' | 'call' | 'shield'>,
): Promise<void> {
  const place = resolveInRoots(roots, path);
  const mode = await modeOf(place, path);
  const { folder: where, name } = split(place);
  await using folder = await openFolder(where, roots);
  await withDraft({ folder, call, content, mode }, async (draft) => {
    signal.throwIfAborted();
    await shield(async () => {
      await rename(draft, join(folder.base, name));
      await folder.sync();
    });
  });
}
