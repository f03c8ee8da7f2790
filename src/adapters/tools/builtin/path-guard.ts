// Resolves a path, with every link followed, and rejects one that leads outside the allowed roots.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fieldsOf } from '../../../core/collections/fields.ts';
import type { ExclusiveKey, ToolContext } from '../../../core/contracts/tool.ts';
import { contains } from '../../../core/tools/folders.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import { assertUnprotected } from './protected-paths.ts';

/** Where a call may touch files. */
export type PathLimits = Pick<ToolContext, 'roots' | 'protectedPaths'>;

export interface ResolvedPath {
  /** The outermost root that contains it: a real path. */
  readonly root: string;
  /** The part of the path that exists: a real path, without links. */
  readonly existing: string;
  /** Names below it that do not exist yet. */
  readonly missing: readonly string[];
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = fieldsOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns the roots that exist, as real paths, the outermost first. */
export function realRoots(roots: readonly string[]): string[] {
  return roots
    .map(realPath)
    .filter((root) => root !== null)
    .sort((a, b) => a.length - b.length);
}

/** Returns the outermost of the real roots that contains a real path. */
export const rootOf = (roots: readonly string[], real: string): string | undefined =>
  roots.find((root) => contains(root, real));

/** Resolves a path. Throws a `ToolRefusal` (path_outside_roots) if it leads out: by `..`, by an absolute path, by a link. */
export function resolveInRoots(roots: readonly string[], path: string): ResolvedPath {
  const [first] = roots;
  if (first === undefined) throw new ToolRefusal('path_outside_roots', 'This session has no allowed folders.');
  const missing: string[] = [];
  let at = resolve(first, path);
  let existing = realPath(at);
  while (existing === null) {
    if (dirname(at) === at) throw new ToolRefusal('path_outside_roots', 'None of the allowed folders exists.');
    if (isBrokenLink(at))
      throw new ToolRefusal('path_outside_roots', `${path} leads through a link to a path that does not exist.`);
    missing.unshift(basename(at));
    at = dirname(at);
    existing = realPath(at);
  }
  const root = rootOf(realRoots(roots), existing);
  if (root === undefined) {
    throw new ToolRefusal('path_outside_roots', `${path} is outside the allowed folders: ${roots.join(', ')}.`);
  }
  return { root, existing, missing };
}

/** Resolves the path of a file that a call may touch. Throws a `ToolRefusal` if it leads out of the roots, or is protected. */
export function resolveFile({ roots, protectedPaths }: PathLimits, path: string): ResolvedPath {
  const resolved = resolveInRoots(roots, path);
  assertUnprotected(join(resolved.existing, ...resolved.missing), path, protectedPaths);
  return resolved;
}

/** Exists, though its real path does not. */
function isBrokenLink(path: string): boolean {
  try {
    return exists(path);
  } catch {
    return false; // a part of it is no folder
  }
}

/**
 * Returns the key of a call that works in a folder. For a folder that does not exist it is the deepest one above it that does: so two calls that make the
 * same folder have the same key, however they write its name.
 */
export const folderKey = (roots: readonly string[], path: string): ExclusiveKey =>
  keyOrRefusal(roots, path, ({ existing }) => existing);

/** Returns the key of a call that writes a file: its folder, or the deepest one above it that exists. It is never a folder above the root. */
export const fileFolderKey = (roots: readonly string[], path: string): ExclusiveKey =>
  keyOrRefusal(roots, path, ({ root, existing, missing }) =>
    missing.length > 0 || existing === root ? existing : dirname(existing),
  );

/** Returns the key of a path. A path that will be refused is its own key, so that its call waits for no other. */
function keyOrRefusal(
  roots: readonly string[],
  path: string,
  folderOf: (resolved: ResolvedPath) => string,
): ExclusiveKey {
  try {
    return { folder: folderOf(resolveInRoots(roots, path)) };
  } catch {
    return { scope: 'session', name: `refused ${path}` };
  }
}
