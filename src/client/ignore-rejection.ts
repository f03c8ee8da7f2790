// Marks promises that nobody need wait for: their rejection is kept for whoever asks, and does not end the process.

/** Each promise can still be awaited. */
export function ignoreRejection(...promises: readonly Promise<unknown>[]): void {
  for (const promise of promises) promise.catch(() => {});
}
