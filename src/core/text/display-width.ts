// Widths of texts in the columns of a terminal: wide, combining and joined characters count as they are shown, styles do not count.
import truncatedWidth from 'fast-string-truncated-width';

/** Returns how many columns a text without line feeds takes. */
export const displayWidth = (text: string): number => truncatedWidth(text).width;

/** Cuts a line that is wider than the columns, with an ellipsis at its end. */
export function clipText(line: string, columns: number): string {
  const { index, ellipsed } = truncatedWidth(line, { limit: columns, ellipsis: '…', ellipsisWidth: 1 });
  return ellipsed ? `${line.slice(0, index)}…` : line.slice(0, index);
}
