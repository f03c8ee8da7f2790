// Does something for each item of a list, some at a time.

/** Resolves with the results in the order of the items. */
export async function inGroups<T, R>(list: readonly T[], size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < list.length; i += size) results.push(...(await Promise.all(list.slice(i, i + size).map(work))));
  return results;
}
