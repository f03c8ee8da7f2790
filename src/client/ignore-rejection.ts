// Marks promises that nobody need wait for: their rejection can still be awaited, and does not end the process.

/** The promises stay as they are. */
export function ignoreRejection(...promises: readonly Promise<unknown>[]): void {
  for (const promise of promises) promise.catch(() => {});
}
