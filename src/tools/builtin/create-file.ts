// Creates a new file: whole or not at all, whenever the call or the host is stopped, and never in the place of another.
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../refusal.ts';
import type { ToolContext } from '../tool.ts';
import { withDraft } from './draft-file.ts';
import { openFolder } from './open-in-roots.ts';
import { resolveInRoots } from './path-guard.ts';

const pathExists = (path: string) => new Refusal('tool_failed', `${path} exists already: give the path of a new file.`);

/** Creates a file. It needs no key of the folder: no file of a call that holds the key is changed. */
export async function createFile(
  path: string,
  content: string | Uint8Array,
  { roots, signal, call }: Pick<ToolContext, 'roots' | 'signal' | 'call'>,
): Promise<void> {
  const { root, existing, missing } = resolveInRoots(roots, path);
  const name = missing.at(-1);
  if (name === undefined) throw pathExists(path);
  await using folder = await openFolder({ root, existing, missing: missing.slice(0, -1) }, roots);
  await withDraft({ folder, call, content }, async (draft) => {
    signal.throwIfAborted();
    // unlike a rename it fails where a file has been created meanwhile
    await link(draft, join(folder.base, name)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? pathExists(path) : error;
    });
    await folder.sync();
  });
}
