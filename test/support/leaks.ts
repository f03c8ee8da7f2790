// Measures for a leak check: the heap after collection, and the handles that keep the process alive.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

export async function heapMB(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((done) => setImmediate(done));
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** The kinds of open handles, timers and requests, sorted. */
export const activeResources = (): readonly string[] =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== 'Immediate')
    .toSorted();

/** Returns the kinds of those that are open now and were not open before. */
export function resourcesBeyond(before: readonly string[]): readonly string[] {
  const left = [...before];
  return activeResources().filter((kind) => {
    const at = left.indexOf(kind);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
