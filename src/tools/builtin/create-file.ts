// Makes a file that was not there: whole or not at all, whenever the call or the host is stopped, and never in the place of another.
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../refusal.ts';
import type { ToolContext } from '../tool.ts';
import { withDraft } from './draft-file.ts';
import { openFolder } from './open-in-roots.ts';
import { resolveInRoots } from './path-guard.ts';

const taken = (path: string) => new Refusal('tool_failed', `${path} exists already: only a new file is made.`);

/** It needs no key of the folder: who holds one finds its own files as they were. */
export async function createFile(
  path: string,
  content: string | Uint8Array,
  { roots, signal, call }: Pick<ToolContext, 'roots' | 'signal' | 'call'>,
): Promise<void> {
  const { root, existing, missing } = resolveInRoots(roots, path);
  const name = missing.at(-1);
  if (name === undefined) throw taken(path);
  await using folder = await openFolder({ root, existing, missing: missing.slice(0, -1) }, roots);
  await withDraft({ folder, call, content }, async (draft) => {
    signal.throwIfAborted();
    // unlike a rename it fails where something has come meanwhile
    await link(draft, join(folder.base, name)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? taken(path) : error;
    });
    await folder.sync();
  });
}
