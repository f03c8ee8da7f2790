// The headings of a page that name something in code: ### `name`.

/** In order. */
export function codeHeadings(page: string): string[] {
  return [...page.matchAll(/^### `([^`]+)`/gm)].map((found) => found[1] ?? '');
}
