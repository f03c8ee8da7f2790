// The output of a call as lines of a terminal: JSON indented, a diff with its colors, the rest as it is.
import { outputLines } from '../../text/plain-output.ts';
import { lineOf, type StyledLine, type TextStyle } from './styled-text.ts';

/** Characters of JSON that are read to be indented; a longer output stays as it is. */
const maxJsonChars = 200_000;

/** Returns all lines of an output, neither cut nor wrapped. */
export function styledOutput(output: string): readonly StyledLine[] {
  const lines = outputLines(indentJson(output) ?? output);
  const isDiff = lines.some((line) => /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/.test(line));
  return lines.map((line) => lineOf(line, isDiff ? diffStyle(line) : 'soft'));
}

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
