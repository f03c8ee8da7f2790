// A sentence of what a stranger's code has thrown or given, whatever that is.

const maxChars = 2_000;

const bounded = (text: string) =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Never throws: what is thrown need not be an Error, an error's message need not be a text, and not everything can be made one. */
export function wordsOf(thrown: unknown): string {
  try {
    const message = thrown instanceof Error ? thrown.message : thrown;
    return bounded(typeof message === 'string' ? message : String(message));
  } catch {
    return 'something that cannot be told in words';
  }
}
