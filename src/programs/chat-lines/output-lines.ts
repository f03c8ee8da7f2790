// The output of a call as lines of a terminal: JSON indented, a diff with its colors, the rest as it is.
import { outputLines } from '../../core/text/plain-output.ts';
import { lineOf, plainText, type StyledLine, type TextStyle } from './styled-text.ts';

const hunk = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;

/** Characters of JSON that are read to be indented; a longer output stays as it is. */
const maxJsonChars = 200_000;

/** Returns all lines of an output, neither cut nor wrapped. JSON that fits into the columns stays on its line. */
export function styledOutput(output: string, columns: number): readonly StyledLine[] {
  const isShort = output.trim().length <= columns;
  const lines = outputLines((isShort ? null : indentJson(output)) ?? output);
  const isDiff = lines.some((line) => hunk.test(line));
  return lines.map((line) => lineOf(line, isDiff ? diffStyle(line) : 'soft'));
}

/** Whether a line begins a part of a diff. */
export const isHunk = (line: StyledLine): boolean => hunk.test(plainText(line));

/** Null: it is no JSON, or has lines already. */
function indentJson(output: string): string | null {
  const text = output.trim();
  if (!/^[[{]/.test(text) || text.includes('\n') || text.length > maxJsonChars) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

/** The signs at the beginning of a line say the same as its color. */
function diffStyle(line: string): TextStyle {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return 'soft';
  if (line.startsWith('@@')) return 'code';
  if (line.startsWith('+')) return 'good';
  return line.startsWith('-') ? 'bad' : 'soft';
}
