// Opens files and folders inside the roots. Stays inside even if a part of the path is replaced by a link meanwhile.
//
// 1. A path is resolved, opened without following a link at its end, and then checked again by its descriptor: on Linux the system
//    shows where a descriptor leads. Elsewhere a parent folder that is replaced by a link in between is not noticed.
// 2. On Linux work in a folder goes through its descriptor (`base`), so a later change of its path has no effect. Elsewhere it goes through its real path.
import { constants, type FileHandle, mkdir, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import { type PathLimits, type ResolvedPath, realRoots, rootOf } from './path-guard.ts';
import { assertUnprotected } from './protected-paths.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const canReadDescriptors = process.platform === 'linux';

const descriptorPath = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`;

export interface Folder extends AsyncDisposable {
  /** The path of the folder, to put before the name of an entry. */
  readonly base: string;
  /** Makes changes in the folder durable. */
  sync(): Promise<void>;
}

/** Whom a new file or folder will belong to. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

async function openChecked(path: string, flags: number, limits: PathLimits): Promise<FileHandle> {
  const handle = await open(path, flags);
  try {
    if (canReadDescriptors) {
      const real = await readlink(descriptorPath(handle));
      if (rootOf(realRoots(limits.roots), real) === undefined)
        throw new ToolRefusal('path_outside_roots', 'The path leads outside the allowed folders.');
      assertUnprotected(real, 'The path', limits.protectedPaths);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a file to read. It may be a pipe or a device: opening does not wait, and the caller checks it. */
export function openFile({ existing, missing }: ResolvedPath, limits: PathLimits): Promise<FileHandle> {
  return openChecked(join(existing, ...missing), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, limits);
}

/** Opens a folder, and makes missing ones, which belong to `owner`: by default to the user of this process. */
export async function openFolder(
  { existing, missing }: ResolvedPath,
  limits: PathLimits,
  owner?: FileOwner | undefined,
): Promise<Folder> {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  let handle = await openChecked(existing, flags, limits);
  let path = existing;
  try {
    for (const name of missing) {
      const parent = handle;
      const below = join(canReadDescriptors ? descriptorPath(parent) : path, name);
      const isNew = await mkdir(below).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
          return false;
        },
      );
      handle = await openChecked(below, flags, limits);
      if (isNew && owner) await handle.chown(owner.uid, owner.gid);
      await parent.close();
      path = join(path, name);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  const opened = handle;
  return {
    base: canReadDescriptors ? descriptorPath(opened) : path,
    sync: () => opened.sync(),
    [Symbol.asyncDispose]: () => opened.close(),
  };
}
