// Compares two versions of a file by lines: the change is everything between their common beginning and their common end.

/** Returns the changed lines, each with `-` or `+` before it; empty if the texts are equal. */
export function diffLines(before: string, after: string): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end).map((line) => `-${line}\n`);
  const added = now.slice(start, now.length - end).map((line) => `+${line}\n`);
  return [...removed, ...added].join('');
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
