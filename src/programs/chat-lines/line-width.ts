// Measures, cuts and wraps styled lines at the columns of a terminal. Wide characters have two columns, and combined ones one.
import { displayWidth } from '../../core/text/display-width.ts';
import { charactersOf, firstCharacter } from '../../core/text/graphemes.ts';
import type { Span, StyledLine } from './styled-text.ts';

/** Returns the columns that a line has. */
export const lineWidth = (line: StyledLine): number => line.reduce((sum, { text }) => sum + displayWidth(text), 0);

/** Returns the first part of a text that fits into so many columns, and the rest. No character is divided. */
function splitAt(text: string, columns: number): readonly [string, string] {
  if (displayWidth(text) <= columns) return [text, ''];
  let taken = 0;
  let width = 0;
  for (const character of charactersOf(text)) {
    width += displayWidth(character);
    if (width > columns) break;
    taken += character.length;
  }
  return [text.slice(0, taken), text.slice(taken)];
}

/** Returns the line if it fits into so many columns, or its beginning with `…` after it. */
export function clipLine(line: StyledLine, columns: number): StyledLine {
  if (lineWidth(line) <= columns) return line;
  const clipped: Span[] = [];
  let left = Math.max(0, columns - 1);
  for (const { text, style } of line) {
    const [head, rest] = splitAt(text, left);
    clipped.push({ text: rest === '' ? head : `${head}…`, style });
    left -= displayWidth(head);
    if (rest !== '') return clipped;
  }
  return clipped;
}

/** Returns the line in lines of at most so many columns. It is divided between words; a word that is wider, between characters. */
export function wrapLine(line: StyledLine, columns: number): readonly StyledLine[] {
  const limit = Math.max(1, columns);
  const lines: Span[][] = [[]];
  let width = 0;
  const startLine = () => {
    const last = lines.at(-1)?.at(-1);
    if (last) lines.at(-1)?.splice(-1, 1, { ...last, text: last.text.trimEnd() });
    lines.push([]);
    width = 0;
  };
  const put = (piece: Span) => {
    lines.at(-1)?.push(piece);
    width += displayWidth(piece.text);
  };
  for (const { text, style } of line) {
    for (const word of text.match(/ +|[^ ]+/g) ?? []) {
      const isBlank = word.startsWith(' ');
      if (width + displayWidth(word) <= limit) put({ text: word, style });
      else if (isBlank) startLine();
      else {
        if (width > 0) startLine();
        let rest = word;
        while (displayWidth(rest) > limit && rest !== firstCharacter(rest)) {
          const [head, tail] = splitAt(rest, Math.max(limit, displayWidth(firstCharacter(rest))));
          put({ text: head, style });
          startLine();
          rest = tail;
        }
        put({ text: rest, style });
      }
    }
  }
  return lines.map(joinSpans);
}

/** Joins neighbors of one style. */
function joinSpans(line: StyledLine): StyledLine {
  const joined: Span[] = [];
  for (const piece of line) {
    const last = joined.at(-1);
    if (last?.style === piece.style) joined.splice(-1, 1, { ...last, text: last.text + piece.text });
    else if (piece.text !== '') joined.push(piece);
  }
  return joined;
}

/** Returns the lines with a beginning before each: `first` before the first one, `rest` before the others. */
export const withMargin = (lines: readonly StyledLine[], first: Span, rest: Span): readonly StyledLine[] =>
  lines.map((line, at) => [at === 0 ? first : rest, ...line]);

/** Returns the line with blanks up to so many columns. */
export function padLine(line: StyledLine, columns: number, align: 'left' | 'center' | 'right' = 'left'): StyledLine {
  const missing = Math.max(0, columns - lineWidth(line));
  const before = align === 'left' ? 0 : align === 'right' ? missing : Math.floor(missing / 2);
  return joinSpans([
    { text: ' '.repeat(before), style: 'plain' },
    ...line,
    { text: ' '.repeat(missing - before), style: 'plain' },
  ]);
}
