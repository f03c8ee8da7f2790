// Writes a file that is whole before it gets its name: as a draft in the same folder, made durable.
import { constants, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from './open-in-roots.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

export interface DraftOptions {
  readonly folder: Folder;
  /** The id of the call's node. */
  readonly call: string;
  readonly content: string | Uint8Array;
  /** The permissions of the file; left out: the usual ones of a new file. */
  readonly mode?: number | undefined;
}

/** Writes a draft, which `commit` gives its name. Afterwards the draft is removed, whatever happened. */
export async function withDraft(
  { folder, call, content, mode }: DraftOptions,
  commit: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(folder.base, `.belay-${call}`);
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await commit(draft);
  } finally {
    await unlink(draft).catch(() => {}); // it has its name, or an earlier error counts
  }
}
