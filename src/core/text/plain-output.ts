// The output of a program as lines of plain text.
import { stripVTControlCharacters } from 'node:util';
import { makePrintable } from './printable.ts';

/** Returns the text with blanks for its tabs. */
export const expandTabs = (text: string): string => text.replaceAll('\t', '    ');

/** Returns the lines of an output without colors and other controls. Of a line that was written over, as by a progress bar, the last version is returned. */
export function outputLines(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output).split(/\r?\n/);
  const shown = lines.map((line) => expandTabs(makePrintable(lastVersion(line))).trimEnd());
  while (shown.at(-1) === '') shown.pop();
  return shown;
}

const lastVersion = (line: string): string => line.split('\r').findLast((version) => version.trim() !== '') ?? '';

/** Returns the last line of an output that is not blank; empty without one. */
export const lastOutputLine = (output: string): string =>
  outputLines(output.slice(-2_000)).findLast((line) => line.trim() !== '') ?? '';
