// The tables of docs/cancellation.md with a row for each phase of a turn: what a CANCEL of tools does there, and what the verbs beside CANCEL do.

const cellsOf = (line: string): readonly string[] => line.slice(2, -2).split(' | ');

/** The rows of the table whose first line begins so. Throws if the page has none. */
function tableOf(
  page: string,
  start: string,
): { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const lines = page.split('\n');
  const from = lines.findIndex((line) => line.startsWith(start));
  if (from < 0) throw new Error(`The page has no table that begins with ${start}.`);
  const to = lines.findIndex((line, i) => i > from && !line.startsWith('| ') && !line.startsWith('|-'));
  return { head: cellsOf(lines[from] ?? ''), rows: lines.slice(from + 2, to).map(cellsOf) };
}

export const toolRowsOf = (page: string) => tableOf(page, '| phase of the turn | what `tools:` does |');
export const verbRowsOf = (page: string) => tableOf(page, '| phase of the turn | RESUME |');
