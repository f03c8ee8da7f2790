// Text with styles, as lines of a chat: made of parts that know nothing of escape sequences, painted at the end.
//
// 1. The 16 colors of the terminal alone: they are legible on the background that its user has chosen.
// 2. No color carries a meaning by itself: the words say the same.
import { makePrintable } from '../../core/text/printable.ts';

/** What a piece of text is; each has one look in the whole chat. */
export type TextStyle =
  | 'plain'
  | 'soft'
  | 'strong'
  | 'emphasis'
  | 'strong-emphasis'
  | 'struck'
  | 'heading'
  | 'code'
  | 'link'
  | 'good'
  | 'warning'
  | 'bad'
  | 'speaker';

/** A piece of text of one style, without line feeds. */
export interface Span {
  readonly text: string;
  readonly style: TextStyle;
}

/** One line of a terminal. */
export type StyledLine = readonly Span[];

/** All of a block that is shown shortened, rendered for so many columns. */
export type WholeText = (columns: number) => readonly StyledLine[];

/** The parameters of the SGR sequence that begins a style, and of the one that ends it; null: it has no look of its own. */
const looks: Readonly<Record<TextStyle, readonly [string, string] | null>> = {
  plain: null,
  soft: ['2', '22'],
  strong: ['1', '22'],
  emphasis: ['3', '23'],
  'strong-emphasis': ['1;3', '22;23'],
  struck: ['9', '29'],
  heading: ['1;4', '22;24'],
  code: ['36', '39'],
  link: ['4', '24'],
  good: ['32', '39'],
  warning: ['33', '39'],
  bad: ['31', '39'],
  speaker: ['1;35', '22;39'],
};

/** Returns a piece of text of a style. */
export const span = (text: string, style: TextStyle = 'plain'): Span => ({ text, style });

/** Returns a line of one style. */
export const lineOf = (text: string, style: TextStyle = 'plain'): StyledLine => [span(text, style)];

/** Returns the text of a line without its styles. */
export const plainText = (line: StyledLine): string => line.map(({ text }) => text).join('');

/**
 * Returns the line as a terminal shows it. What could move the cursor is removed from its texts.
 * @param hasColors Whether the terminal shows styles; otherwise the line is its plain text.
 */
export const paint = (line: StyledLine, hasColors: boolean): string =>
  line.map(({ text, style }) => paintSpan(makePrintable(text).replaceAll('\n', ' '), style, hasColors)).join('');

function paintSpan(text: string, style: TextStyle, hasColors: boolean): string {
  const look = looks[style];
  return !hasColors || look === null || text === '' ? text : `\u001b[${look[0]}m${text}\u001b[${look[1]}m`;
}
