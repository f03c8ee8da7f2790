// Measures, cuts and wraps styled lines at the columns of a terminal. Wide characters have two columns, and combined ones one.
import { displayWidth } from '../../core/text/display-width.ts';
import { charactersOf } from '../../core/text/graphemes.ts';
import type { Span, StyledLine } from './styled-text.ts';

/** Returns the columns that a line has. */
export const lineWidth = (line: StyledLine): number => line.reduce((sum, { text }) => sum + displayWidth(text), 0);

/** Each of these characters has one column, and none is joined to another. */
const isAscii = /^[ -~]*$/;

/** Divides a text into parts of at most so many columns. No character is divided: one that is wider is a part of its own. Each is measured once. */
function divideWord(text: string, columns: number): readonly string[] {
  const parts: string[] = [];
  if (isAscii.test(text)) {
    const size = Math.max(1, columns);
    for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
    return parts;
  }
  let from = 0;
  let to = 0;
  let width = 0;
  for (const character of charactersOf(text)) {
    const more = displayWidth(character);
    if (width + more > columns && to > from) {
      parts.push(text.slice(from, to));
      from = to;
      width = 0;
    }
    width += more;
    to += character.length;
  }
  return [...parts, text.slice(from)];
}

/** Returns the first characters of a text that fit into so many columns. */
function textWithin(text: string, columns: number): string {
  const [first = ''] = divideWord(text, columns);
  return displayWidth(first) <= columns ? first : '';
}

/** Returns the line if it fits into so many columns, or its beginning with `…` after it. */
export function clipLine(line: StyledLine, columns: number): StyledLine {
  if (lineWidth(line) <= columns) return line;
  const clipped: Span[] = [];
  let left = Math.max(0, columns - 1);
  for (const { text, style } of line) {
    const width = displayWidth(text);
    if (width > left) return [...clipped, { text: `${textWithin(text, left)}…`, style }];
    clipped.push({ text, style });
    left -= width;
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
        for (const [at, part] of divideWord(word, limit).entries()) {
          if (at > 0) startLine();
          put({ text: part, style });
        }
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
