// Lines made safe for the live region: nothing in them moves the cursor, and each is one row.
import { stripVTControlCharacters } from 'node:util';
import { expandTabs } from '../../core/text/plain-output.ts';
import { makePrintable } from '../../core/text/printable.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a style starts with a control character
const stylePattern = /(\u001b\[[0-9;:]*m)/;

/** Removes everything from a line that steers a terminal, except styles where they are wanted. */
export function safeLine(line: string, keepsStyles: boolean): string {
  const parts = (keepsStyles ? line : stripVTControlCharacters(line)).split(stylePattern);
  return parts.map((part, i) => (i % 2 === 1 ? part : makePrintable(part))).join('');
}

/** Returns the line as one row of a screen: without line feeds, with spaces for tabs. */
export const singleRow = (line: string): string => expandTabs(line.replaceAll('\n', ' '));
