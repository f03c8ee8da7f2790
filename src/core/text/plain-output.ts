// The output of a program as lines of plain text.
import { stripVTControlCharacters } from 'node:util';
import { makePrintable } from './printable.ts';

/** Returns the text with blanks for its tabs. */
export const expandTabs = (text: string): string => text.replaceAll('\t', '    ');

const escapeCode = '\u001b';
const terminator = `${escapeCode}\\`;
/** A command, like that for the title of a window, goes on to a bell or a string terminator. */
const commandEnds = ['\u0007', '\u009c'];

/** Removes the sequences that steer a terminal. Each is read alone: of many commands that do not end, Node would search the end of each in all that follows. */
function stripSequences(output: string): string {
  const [start = '', ...sequences] = output.replaceAll('\u009b', `${escapeCode}[`).split(escapeCode);
  const pieces = sequences.map((sequence) => `${escapeCode}${sequence}`);
  const stripped = pieces.map((piece, at) => {
    if (piece.startsWith(terminator)) return piece.slice(terminator.length);
    const goesOn = piece.startsWith(`${escapeCode}]`) && !commandEnds.some((end) => piece.includes(end));
    return goesOn && pieces[at + 1]?.startsWith(terminator) ? '' : stripVTControlCharacters(piece);
  });
  return `${start}${stripped.join('')}`;
}

/** Returns the lines of an output without colors and other controls. Of a line that was written over, as by a progress bar, the last version is returned. */
export function outputLines(output: string): readonly string[] {
  const lines = stripSequences(output).split(/\r?\n/);
  const shown = lines.map((line) => expandTabs(makePrintable(lastVersion(line))).trimEnd());
  while (shown.at(-1) === '') shown.pop();
  return shown;
}

const lastVersion = (line: string): string => line.split('\r').findLast((version) => version.trim() !== '') ?? '';

/** Returns the last line of an output that is not blank; empty without one. */
export const lastOutputLine = (output: string): string =>
  outputLines(output.slice(-2_000)).findLast((line) => line.trim() !== '') ?? '';
