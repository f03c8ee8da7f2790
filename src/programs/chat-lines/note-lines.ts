// Wraps lines of plain text, as the commands of a chat print them: between words, with a hanging indent.
import { displayWidth } from '../../core/text/display-width.ts';
import { withMargin, wrapLine } from './line-width.ts';
import { lineOf, type StyledLine, span, type TextStyle } from './styled-text.ts';

/** The indent of a line with the entry of a list in it: what stands before two spaces, like a command before what it does. */
const listEntry = /^ *(?:\S+(?: \S+)* {2,})?/;

/** Returns the line in lines of at most so many columns. Those after the first are indented like its text. */
export function wrapNote(text: string, style: TextStyle, columns: number): readonly StyledLine[] {
  const [entry = ''] = listEntry.exec(text) ?? [];
  const [spaces = ''] = /^ */.exec(text) ?? [];
  const head = displayWidth(entry) <= columns / 2 ? entry : spaces;
  const indent = Math.min(displayWidth(head), Math.floor(columns / 2));
  const lines = wrapLine(lineOf(text.slice(head.length), style), columns - indent);
  return withMargin(lines, span(head, style), span(' '.repeat(indent), style));
}
