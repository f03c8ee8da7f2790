// Widths of texts in the columns of a terminal: wide, combining and joined characters count as they are shown, styles do not count.
import { stripVTControlCharacters } from 'node:util';
import truncatedWidth from 'fast-string-truncated-width';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { makePrintable } from '../../text/printable.ts';

const tab = '    ';

/** Returns how many columns the text takes. */
export const displayWidth = (text: string): number => stringWidth(text);

/** Cuts a line that is wider than the columns, with an ellipsis at its end. */
export function clipLine(line: string, columns: number): string {
  const { index, ellipsed } = truncatedWidth(line, { limit: columns, ellipsis: '…', ellipsisWidth: 1 });
  return ellipsed ? `${line.slice(0, index)}…` : line.slice(0, index);
}

/** Wraps a line at spaces, and a word that is wider than the columns within it. Styles continue over the lines. */
export const wrapLine = (line: string, columns: number): readonly string[] =>
  wrapAnsi(line, Math.max(1, columns), { hard: true, trim: false }).split('\n');

// biome-ignore lint/suspicious/noControlCharactersInRegex: a style starts with a control character
const stylePattern = /(\u001b\[[0-9;:]*m)/;

/** Removes everything from a line that steers a terminal, except styles where they are wanted. */
export function safeLine(line: string, keepsStyles: boolean): string {
  const parts = (keepsStyles ? line : stripVTControlCharacters(line)).split(stylePattern);
  return parts.map((part, i) => (i % 2 === 1 ? part : makePrintable(part))).join('');
}

/** Returns the line as one row of a screen: without line feeds, with spaces for tabs. */
export const singleRow = (line: string): string => line.replaceAll('\n', ' ').replaceAll('\t', tab);
