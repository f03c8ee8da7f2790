// Reads the blocks of a text in Markdown with limits, for the page and the terminal: the text comes from a model, and may be made to cost much.
//
// 1. At most `maxBlockChars` characters of a block are read as Markdown. The rest of it is plain text; the rest of a code block is code.
// 2. A block that marked cannot read, or that nests deeper than `maxNesting`, is plain text.
// 3. Reading costs in proportion to the length of the text: marked gets each part of it in portions of at most `maxBlockChars`.
import { type MarkedToken, marked, type Token, type Tokens } from 'marked';

/** Characters (UTF-16 code units) of a block that are read as Markdown. */
export const maxBlockChars = 8_192;

/** Levels of quotes, lists, emphasis and links in each other. */
export const maxNesting = 24;

/** A block that is shown as it was written. `rest`: it goes on with the block before it, which has more characters than the limit. */
export interface PlainBlock {
  readonly type: 'plain' | 'rest';
  readonly raw: string;
}

export type MarkdownBlock = MarkedToken | PlainBlock;

/** Narrows the type of a token: without extensions, marked makes no other tokens than its own, but their open type cannot be narrowed by their names. */
export const knownToken = (token: Token): MarkedToken => token as MarkedToken; // see above

/** Whether a block shows something. */
export const isShownBlock = ({ type }: MarkdownBlock): boolean => type !== 'space' && type !== 'def';

/**
 * Returns the blocks of a text.
 * @param start `rest`: the text goes on with a block that has reached the limit.
 */
export const readBlocks = (text: string, start: 'block' | 'rest' = 'block'): readonly MarkdownBlock[] =>
  new GrowingText(start).read(text).parts.flat();

/** The first parts of a text, each with its blocks. */
interface ReadParts {
  readonly parts: readonly (readonly MarkdownBlock[])[];
  /** Whether that is the whole text. */
  readonly isAll: boolean;
}

/** Reads a text that grows at its end. A part that is followed by others is read once, whatever comes after it. */
export class GrowingText {
  /** How the text begins: see `readBlocks`. */
  readonly #start: 'block' | 'rest';
  /** The parts that are followed by others, and their text. */
  #parts: (readonly MarkdownBlock[])[] = [];
  #known = '';

  constructor(start: 'block' | 'rest' = 'block') {
    this.#start = start;
  }

  /** Returns the first parts, `most` at most: a long text can be drawn part by part. A text that is not the one before with more at its end is read anew. */
  read(text: string, most = Number.POSITIVE_INFINITY): ReadParts {
    const source = text.replace(/\r\n?/g, '\n');
    if (source.length <= this.#known.length || !source.startsWith(this.#known)) {
      this.#parts = [];
      this.#known = '';
    }
    while (this.#parts.length < most) {
      const part = this.#partAt(source, this.#known.length);
      const end = this.#known.length + part.reduce((length, { raw }) => length + raw.length, 0);
      if (end >= source.length) return { parts: [...this.#parts, part], isAll: true };
      this.#parts.push(part);
      this.#known = source.slice(0, end);
    }
    return { parts: this.#parts.slice(0, most), isAll: false };
  }

  /** Returns the next blocks: of a portion that does not end the text, those that end before the last one. */
  #partAt(source: string, at: number): readonly MarkdownBlock[] {
    if (at === 0 && this.#start === 'rest') return [readRest(source, 0)];
    const portion = portionAt(source, at);
    const read = readPortion(portion);
    return at + portion.length === source.length ? read : wholeBlocks(read, portion, source, at);
  }
}

/** Returns the next characters up to the limit. No surrogate pair is divided. */
function portionAt(source: string, at: number): string {
  const end = at + maxBlockChars;
  const code = source.charCodeAt(end - 1);
  return source.slice(at, code >= 0xd800 && code < 0xdc00 ? end - 1 : end);
}

/** Returns the blocks of a portion that end before the last one: that one may go on after the portion. If it is the only one, it has reached the limit. */
function wholeBlocks(
  read: readonly MarkdownBlock[],
  portion: string,
  source: string,
  at: number,
): readonly MarkdownBlock[] {
  const index = read.findLastIndex(isShownBlock);
  const last = read[index];
  if (!last) return [{ type: 'plain', raw: portion }]; // blanks and definitions
  if (index > 0) return read.slice(0, index);
  if (last.type === 'code' && last.codeBlockStyle !== 'indented') return [wholeCode(last, source, at)];
  const parts = last.type === 'list' ? divideList(last, portion) : null;
  if (last.type === 'list' && parts) return [{ ...last, raw: parts.finished, items: last.items.slice(0, -1) }];
  return [{ ...last, raw: portion }, readRest(source, at + portion.length)];
}

/** Returns a code block with all its lines: they cost nothing to read. */
function wholeCode(code: Tokens.Code, source: string, at: number): Tokens.Code {
  const [opening = '', mark = ''] = /^ {0,3}(`{3,}|~{3,})[^\n]*\n?/.exec(code.raw) ?? [];
  const from = at + opening.length;
  const closing = new RegExp(`(?:^|\\n) {0,3}${mark}[~\`]* *(?:\\n|$)`, 'g');
  const end = closing.exec(source.slice(from));
  const text = source.slice(from, end ? from + end.index : undefined);
  return { ...code, raw: source.slice(at, end ? from + end.index + end[0].length : undefined), text };
}

/** The rest of a block goes on to the next blank line. */
function readRest(source: string, at: number): PlainBlock {
  const blank = /\n[ \t]*\n/g;
  blank.lastIndex = at;
  const end = blank.exec(source);
  return { type: 'rest', raw: source.slice(at, end ? end.index + end[0].length : undefined) };
}

/** Reads a portion. If marked cannot read it, each of its sections is read alone, and only those that cannot be read are plain. */
function readPortion(portion: string): readonly MarkdownBlock[] {
  const tokens = lex(portion);
  if (tokens) return tokens;
  const sections = portion.split(/(?<=\n[ \t]*\n)/);
  if (sections.length === 1) return [{ type: 'plain', raw: portion }];
  return sections.flatMap((section): readonly MarkdownBlock[] => lex(section) ?? [{ type: 'plain', raw: section }]);
}

/** Returns the tokens of a text, with plain blocks in the place of those that nest too deep; null: marked cannot read it. */
function lex(text: string): readonly MarkdownBlock[] | null {
  try {
    return marked.lexer(text).map((token) => (isDeep(token) ? { type: 'plain', raw: token.raw } : knownToken(token)));
  } catch {
    return null; // thousands of levels: the stack of marked is full
  }
}

function isDeep(block: Token): boolean {
  let level: readonly Token[] = [block];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxNesting) return true;
    level = level.flatMap((token) => childrenOf(knownToken(token)));
  }
  return false;
}

function childrenOf(token: MarkedToken): readonly Token[] {
  if (token.type === 'list') return token.items.flatMap(({ tokens }) => tokens);
  if (token.type === 'table') return [token.header, ...token.rows].flat().flatMap(({ tokens }) => tokens);
  return 'tokens' in token ? (token.tokens ?? []) : [];
}

/** A text in two parts. */
export interface Divided {
  readonly finished: string;
  readonly rest: string;
}

/** Divides a list before its last item, which keeps its number; null: it has one item. */
export function divideList({ items }: Tokens.List, raw: string): Divided | null {
  const last = items.at(-1);
  if (!last || items.length < 2) return null;
  const at = raw.lastIndexOf(last.raw.trimEnd());
  return at <= 0 ? null : { finished: raw.slice(0, at), rest: raw.slice(at) };
}
