// Writes the file in which a gateway without tokens leaves its key for clients of the same user, and removes it at its end.
//
// A gateway that is killed does not remove its file. The key in it is of no use: the next start has another one.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { keyFilePath, keyFileText, parseKeyFile } from '../wire/gateway-key.ts';

/** Addresses that a server on all interfaces has on loopback. */
const loopbacksOf: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['127.0.0.1'],
  '::': ['127.0.0.1', '::1'],
};

/** Returns the paths of the key files of a server that listens at the address. */
export function keyFilesOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): readonly string[] {
  const folders = { state: process.env['XDG_STATE_HOME'], home: homedir() };
  return (loopbacksOf[address] ?? [address]).map((host) => keyFilePath(folders, host, port));
}

/** Leaves the key in the files, which only this user can read. Throws if one cannot be written. */
export function writeKeyFiles(paths: readonly string[], key: string): void {
  for (const path of paths) {
    const draft = `${path}.${process.pid}.new`;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, keyFileText(key), { mode: 0o600 });
    renameSync(draft, path);
  }
}

/** Removes the files that still hold the key: another gateway may have the port by now. */
export function removeKeyFiles(paths: readonly string[], key: string): void {
  for (const path of paths) {
    try {
      if (parseKeyFile(readFileSync(path, 'utf8')) === key) rmSync(path);
    } catch {
      // it is gone
    }
  }
}
