// Renders blocks of Markdown as lines of a terminal. No HTML is interpreted, and nothing is loaded: an image is a link.
import type { Token, Tokens } from 'marked';
import { knownToken, type MarkdownBlock } from '../../core/markdown/markdown-blocks.ts';
import { decodeEntities } from '../../core/text/decode-entities.ts';
import { displayWidth } from '../../core/text/display-width.ts';
import { expandTabs } from '../../core/text/plain-output.ts';
import { makePrintable } from '../../core/text/printable.ts';
import { withMargin, wrapLine } from './line-width.ts';
import { inlineSpans } from './markdown-inline.ts';
import { tableLines } from './markdown-table.ts';
import { lineOf, plainText, type Span, type StyledLine, span } from './styled-text.ts';

/** Columns below which nothing is nested any more: what is inside is plain text. */
const narrowest = 8;

/** Returns the text without what cannot be printed, and with blanks for tabs. */
export const cleanMarkdown = (text: string): string => expandTabs(makePrintable(text));

/** A blank line stands between blocks. */
const separateBlocks = (blocks: readonly (readonly StyledLine[])[]): readonly StyledLine[] =>
  blocks.filter(({ length }) => length > 0).flatMap((lines, at) => (at === 0 ? lines : [lineOf(''), ...lines]));

/** Renders one block; no lines for one that shows nothing. */
export function blockLines(token: MarkdownBlock, columns: number): readonly StyledLine[] {
  switch (token.type) {
    case 'heading':
      return wrapSpans(inlineSpans(token.tokens, 'heading'), columns);
    case 'paragraph':
      return wrapSpans(inlineSpans(token.tokens), columns);
    case 'text':
      return wrapSpans(token.tokens ? inlineSpans(token.tokens) : [span(decodeEntities(token.text))], columns);
    case 'code':
      return codeLines(token.text, columns);
    case 'blockquote':
      if (columns <= narrowest) return wrapSpans([span(token.text)], columns);
      return inMargin(separateBlocks(token.tokens.map((one) => blockLines(knownToken(one), columns - 2))), '▎ ');
    case 'list':
      return token.items.flatMap((item, at) => itemLines(item, bulletOf(token, at), columns));
    case 'table':
      return tableLines(token, columns);
    case 'hr':
      return [lineOf('─'.repeat(Math.min(columns, 40)), 'soft')];
    case 'space':
    case 'def':
    case 'checkbox': // the bullet shows it
      return [];
    default:
      return wrapSpans([span(token.raw.trimEnd())], columns);
  }
}

/** Renders code: each line whole or wrapped, after a gutter. */
const codeLines = (code: string, columns: number): readonly StyledLine[] =>
  inMargin(
    code.split('\n').flatMap((line) => wrapLine(lineOf(line), columns - 2)),
    '│ ',
  );

const inMargin = (lines: readonly StyledLine[], margin: string): readonly StyledLine[] =>
  withMargin(lines, span(margin, 'soft'), span(margin, 'soft'));

const bulletOf = ({ ordered, start }: Tokens.List, at: number): string =>
  ordered ? `${(start === '' ? 1 : start) + at}. ` : '• ';

/** The blocks of an item stand beside its bullet; a list in it follows without a blank line. */
function itemLines(item: Tokens.ListItem, bullet: string, columns: number): readonly StyledLine[] {
  const mark = item.task ? `${item.checked ? '☑' : '☐'} ` : bullet;
  const width = displayWidth(mark);
  const inside = Math.max(1, columns - width);
  const isNested = columns > narrowest;
  const lines = isNested
    ? item.tokens.flatMap((one: Token) => blockLines(knownToken(one), inside))
    : wrapSpans([span(item.text)], inside);
  return withMargin(lines.length === 0 ? [[]] : lines, span(mark, 'soft'), span(' '.repeat(width)));
}

/** Wraps spans of which some hold line feeds. */
function wrapSpans(spans: readonly Span[], columns: number): readonly StyledLine[] {
  const lines: Span[][] = [[]];
  for (const { text, style } of spans) {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      lines.at(-1)?.push({ text: part, style });
    }
  }
  return lines
    .filter((line, at) => at < lines.length - 1 || plainText(line) !== '')
    .flatMap((line) => wrapLine(line, columns));
}
