// Describes in one line the machine that the figures belong to: milliseconds of two machines cannot be compared.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { now } from './now.ts';
import { median } from './statistics.ts';

/** Returns the description. `folder`: where the stores lie. */
export function describeMachine(folder: string): string {
  const file = openSync(join(folder, 'sync'), 'a');
  const times = Array.from({ length: 20 }, () => {
    const at = now();
    writeSync(file, 'x'.repeat(1_024));
    fdatasyncSync(file);
    return now() - at;
  });
  closeSync(file);
  const sync = median(times).toFixed(2);
  return `${availableParallelism()} cores, Node ${process.versions.node}; fdatasync after an append takes ${sync} ms on this disk`;
}
