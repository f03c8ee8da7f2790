// Promises that nobody may be waiting for: a rejection is kept for who asks, and ends no process.

export function handled(...promises: readonly Promise<unknown>[]): void {
  for (const promise of promises) promise.catch(() => {});
}
