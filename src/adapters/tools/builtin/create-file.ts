// Creates a new file, whole or not at all: also if the call or the host is stopped meanwhile. Never replaces a file.
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../../../core/contracts/tool.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import { withDraft } from './draft-file.ts';
import { type FileOwner, openFolder } from './open-in-roots.ts';
import { resolveFile } from './path-guard.ts';

const alreadyExists = (path: string) =>
  new ToolRefusal('tool_failed', `${path} exists already: give the path of a new file.`);

/**
 * Creates a file, and the folders above it that are missing. Rejects with a `ToolRefusal` if the path exists already.
 *
 * The call needs no exclusive key of the folder, because no existing file is changed.
 * @param owner Whom it will belong to: by default the user of this process.
 */
export async function createFile(
  path: string,
  content: string | Uint8Array,
  context: Pick<ToolContext, 'roots' | 'protectedPaths' | 'signal' | 'call'>,
  owner?: FileOwner | undefined,
): Promise<void> {
  const { signal, call } = context;
  const { root, existing, missing } = resolveFile(context, path);
  const name = missing.at(-1); // undefined: the whole path exists
  if (name === undefined) throw alreadyExists(path);
  await using folder = await openFolder({ root, existing, missing: missing.slice(0, -1) }, context, owner);
  await withDraft({ folder, call, content, owner }, async (draft) => {
    signal.throwIfAborted();
    // not `rename`, which would replace a file that has been created meanwhile
    await link(draft, join(folder.base, name)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? alreadyExists(path) : error;
    });
    await folder.sync();
  });
}
