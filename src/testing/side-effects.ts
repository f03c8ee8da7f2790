// Reads the side effects of a call that has ended: changed folders and living processes.
import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFamily, systemTable } from '../adapters/processes/process-family.ts';

/** Entries of all roots together. */
const maxEntries = 10_000;

const stateOf = ({ ino, mode, size, mtimeNs, ctimeNs }: BigIntStats) => [ino, mode, size, mtimeNs, ctimeNs].join(' ');

/** Returns each path below the roots with its state. Throws if there are more than `maxEntries`. */
export async function folderState(roots: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const state = new Map<string, string>();
  const paths = [...roots];
  for (const path of paths) {
    const stat = await lstat(path, { bigint: true });
    state.set(path, stateOf(stat));
    if (!stat.isDirectory()) continue;
    for await (const { name } of await opendir(path)) {
      if (paths.length >= maxEntries)
        throw new Error(`The folders hold more than ${maxEntries} entries: try the tool in smaller ones.`);
      paths.push(join(path, name));
    }
  }
  return state;
}

/** Returns the paths that are new, gone or changed. */
export function changedPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

/** Returns the pids of living children of this process. */
export function livingChildren(): readonly number[] {
  const children = systemTable.children(process.pid);
  return children.filter(({ state }) => state === 'alive').map(({ pid }) => pid);
}

/** Returns the pids of living processes that bear the marker of a call, or descend from one that does. */
export async function processesOf(call: string): Promise<readonly number[]> {
  const { alive } = await findFamily({ marker: call, group: null, startTime: null }, new Map(), systemTable);
  return alive.map(({ pid }) => pid);
}
