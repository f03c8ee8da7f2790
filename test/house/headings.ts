// Reads the headings of a page that name something in code: ### `name`.

/** Returns the names, in order. */
export function codeHeadings(page: string): string[] {
  return [...page.matchAll(/^### `([^`]+)`/gm)].map((found) => found[1] ?? '');
}
