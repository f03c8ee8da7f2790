// A file that is whole before anybody can see it by its name: written and made durable beside its place.
import { constants, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from './open-in-roots.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

export interface DraftOptions {
  readonly folder: Folder;
  /** The id of the call's node. */
  readonly call: string;
  readonly content: string | Uint8Array;
  /** Its permissions; left out: the usual ones of a new file. */
  readonly mode?: number | undefined;
}

/** `commit` gives it its name. Afterwards nothing is left of the draft, whatever happened. */
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
    await unlink(draft).catch(() => {}); // it has got its name, or it is the failure before it that counts
  }
}
