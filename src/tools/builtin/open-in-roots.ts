// Opens what lies inside the roots, so that a link which is swapped in meanwhile leads nowhere else.
//
// 1. A path is resolved, opened without following a link at its end, and then judged once more by what was opened: on Linux the
//    system tells where a descriptor leads. Elsewhere a parent folder that is replaced by a link in between is not noticed.
// 2. What happens in a folder happens below its descriptor (`base`), whatever its path means by then. Elsewhere below its real path.
import { constants, type FileHandle, mkdir, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../refusal.ts';
import { type ResolvedPath, realRoots, rootOf } from './path-guard.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const tellsWhereItLeads = process.platform === 'linux';

const descriptorPath = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`;

export interface Folder extends AsyncDisposable {
  /** What to put before a name in it. */
  readonly base: string;
  /** Makes what was done in it durable. */
  sync(): Promise<void>;
}

async function openJudged(path: string, flags: number, roots: readonly string[]): Promise<FileHandle> {
  const handle = await open(path, flags);
  try {
    if (tellsWhereItLeads && rootOf(realRoots(roots), await readlink(descriptorPath(handle))) === undefined) {
      throw new Refusal('path_outside_roots', 'The path led outside the allowed folders when it was opened.');
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** For reading. It does not wait for the other end of a pipe: the caller looks at what it has got. */
export function openFile({ existing, missing }: ResolvedPath, roots: readonly string[]): Promise<FileHandle> {
  return openJudged(join(existing, ...missing), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, roots);
}

/** Folders that are missing are made. */
export async function openFolder({ existing, missing }: ResolvedPath, roots: readonly string[]): Promise<Folder> {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  let handle = await openJudged(existing, flags, roots);
  let path = existing;
  try {
    for (const name of missing) {
      const parent = handle;
      const below = join(tellsWhereItLeads ? descriptorPath(parent) : path, name);
      await mkdir(below).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      handle = await openJudged(below, flags, roots);
      await parent.close();
      path = join(path, name);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  const opened = handle;
  return {
    base: tellsWhereItLeads ? descriptorPath(opened) : path,
    sync: () => opened.sync(),
    [Symbol.asyncDispose]: () => opened.close(),
  };
}
