// Writes a file under a temporary name in its folder and syncs it, so that it is complete before it gets its own name.
import { constants, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileOwner, Folder } from './open-in-roots.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

export interface DraftOptions {
  readonly folder: Folder;
  /** The id of the call's node. It makes the draft's name unique. */
  readonly call: string;
  readonly content: string | Uint8Array;
  /** The permissions of the file. Default: those of any new file. */
  readonly mode?: number | undefined;
  /** Whom the file will belong to. Default: the user of this process. */
  readonly owner?: FileOwner | undefined;
}

/** Writes a draft, then calls `moveIntoPlace`, which links or renames it. Removes the draft in the end, also after an error. */
export async function withDraft(
  { folder, call, content, mode, owner }: DraftOptions,
  moveIntoPlace: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(folder.base, `.belay-${call}`);
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      if (owner) await handle.chown(owner.uid, owner.gid); // before the mode, from which it would take bits
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await moveIntoPlace(draft);
  } finally {
    await unlink(draft).catch(() => {}); // fails if it was renamed or never written; an earlier error is more important
  }
}
