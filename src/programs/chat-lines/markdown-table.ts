// Draws a table of Markdown so that it fits into the columns of a terminal.
import type { Tokens } from 'marked';
import { lineWidth, padLine, wrapLine } from './line-width.ts';
import { inlineSpans } from './markdown-inline.ts';
import { lineOf, type Span, type StyledLine, span } from './styled-text.ts';

const separator = ' │ ';
/** Below this width, in columns of the terminal, a cell cannot be read. */
const narrowest = 6;

/** Returns the lines of a table. One that has too many columns for the terminal is a list: a line for each cell, with its heading. */
export function tableLines({ header, rows, align }: Tokens.Table, columns: number): readonly StyledLine[] {
  const head = header.map(({ tokens }) => inlineSpans(tokens, 'strong'));
  const body = rows.map((row) => row.map(({ tokens }) => inlineSpans(tokens)));
  const natural = head.map((cell, at) => Math.max(...[cell, ...body.map((row) => row[at] ?? [])].map(lineWidth), 1));
  const widths = fitWidths(natural, columns - separator.length * (natural.length - 1));
  if (widths === null) return recordLines(head, body, columns);
  const rule = span(widths.map((width) => '─'.repeat(width)).join('─┼─'), 'soft');
  const rowLines = (row: readonly StyledLine[]) => rowOf(row, widths, align);
  return [...rowLines(head), [rule], ...body.flatMap(rowLines)];
}

/** Makes the widest columns narrower until all fit; null: they cannot. */
function fitWidths(natural: readonly number[], columns: number): readonly number[] | null {
  if (natural.reduce((sum, width) => sum + Math.min(width, narrowest), 0) > columns) return null;
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width, 0);
  while (total() > columns) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) return null;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function rowOf(
  row: readonly StyledLine[],
  widths: readonly number[],
  align: Tokens.Table['align'],
): readonly StyledLine[] {
  const cells = widths.map((width, at) => wrapLine(row[at] ?? [], width));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    widths.flatMap((width, at): Span[] => {
      const isLast = at === widths.length - 1 && align[at] !== 'right';
      const padded = padLine(cells[at]?.[line] ?? [], isLast ? 0 : width, align[at] ?? 'left');
      return at === 0 ? [...padded] : [span(separator, 'soft'), ...padded];
    }),
  );
}

function recordLines(
  head: readonly StyledLine[],
  body: readonly (readonly StyledLine[])[],
  columns: number,
): readonly StyledLine[] {
  return body.flatMap((row, at) => [
    ...(at === 0 ? [] : [lineOf('')]),
    ...row.flatMap((cell, column) => wrapLine([...(head[column] ?? []), span(': ', 'strong'), ...cell], columns)),
  ]);
}
