// Creates a new file, whole or not at all: also if the call or the host is stopped meanwhile. Never replaces a file.
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../refusal.ts';
import type { ToolContext } from '../tool.ts';
import { withDraft } from './draft-file.ts';
import { openFolder } from './open-in-roots.ts';
import { resolveInRoots } from './path-guard.ts';

const alreadyExists = (path: string) =>
  new Refusal('tool_failed', `${path} exists already: give the path of a new file.`);

/**
 * Creates a file, and the folders above it that are missing. Rejects with a `Refusal` if the path exists already.
 *
 * The call needs no exclusive key of the folder, because no existing file is changed.
 */
export async function createFile(
  path: string,
  content: string | Uint8Array,
  { roots, signal, call }: Pick<ToolContext, 'roots' | 'signal' | 'call'>,
): Promise<void> {
  const { root, existing, missing } = resolveInRoots(roots, path);
  const name = missing.at(-1); // undefined: the whole path exists
  if (name === undefined) throw alreadyExists(path);
  await using folder = await openFolder({ root, existing, missing: missing.slice(0, -1) }, roots);
  await withDraft({ folder, call, content }, async (draft) => {
    signal.throwIfAborted();
    // not `rename`, which would replace a file that has been created meanwhile
    await link(draft, join(folder.base, name)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? alreadyExists(path) : error;
    });
    await folder.sync();
  });
}
