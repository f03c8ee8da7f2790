// A text in Markdown that still grows: its finished blocks are taken off and printed for good, the unfinished end is shown again and again.
//
// 1. A block is finished when another one follows it. Of a long list the items, and of a long code block the lines, are finished one by one.
// 2. What was taken off never changes, whatever comes after it.
import type { MarkedToken, Tokens } from 'marked';
import { blockLines, cleanMarkdown, readMarkdown } from './markdown-lines.ts';
import { lineOf, type StyledLine } from './styled-text.ts';

/** Lines of an unfinished code block that are shown in the unfinished end. */
const codeTail = 4;

export class MarkdownStream {
  /** What is not finished, as Markdown of its own. */
  #rest = '';
  /** Where the rest stands: before all lines that were taken off, after a block of them, or in the block that they have begun. */
  #place: 'start' | 'after-block' | 'in-block' = 'start';

  /** Appends text. */
  push(text: string): void {
    this.#rest += cleanMarkdown(text);
  }

  /** Takes off what is finished, and returns its lines. */
  takeFinished(columns: number): readonly StyledLine[] {
    const lines: StyledLine[] = [];
    const tokens = readMarkdown(this.#rest);
    const at = tokens.findLastIndex(isShown);
    const last = tokens[at];
    if (!last) return lines;
    for (const block of tokens.slice(0, at)) lines.push(...this.#print(block, columns));
    // not the `raw` of the last one: blanks at the end of a list are missing there
    this.#rest = this.#rest.slice(tokens.slice(0, at).reduce((length, { raw }) => length + raw.length, 0));
    const parts = divideBlock(last, this.#rest);
    if (!parts) return lines;
    for (const block of readMarkdown(parts.finished)) lines.push(...this.#print(block, columns));
    this.#rest = parts.rest;
    this.#place = 'in-block';
    return lines;
  }

  /** Returns the lines of what is not finished, as it looks now. */
  unfinished(columns: number): readonly StyledLine[] {
    const lines = readMarkdown(this.#rest).flatMap((block) => blockLines(block, columns));
    return this.#separate(lines);
  }

  /** Takes off all that is left: the text has ended. */
  takeRest(columns: number): readonly StyledLine[] {
    const lines = readMarkdown(this.#rest).flatMap((block) => this.#print(block, columns));
    this.#rest = '';
    return lines;
  }

  /** A blank line stands between blocks. */
  #separate(lines: readonly StyledLine[]): readonly StyledLine[] {
    return lines.length > 0 && this.#place === 'after-block' ? [lineOf(''), ...lines] : lines;
  }

  #print(block: MarkedToken, columns: number): readonly StyledLine[] {
    const lines = blockLines(block, columns);
    if (lines.length === 0) return [];
    const separated = this.#separate(lines);
    this.#place = 'after-block';
    return separated;
  }
}

const isShown = ({ type }: MarkedToken): boolean => type !== 'space' && type !== 'def';

interface Divided {
  readonly finished: string;
  readonly rest: string;
}

/** Divides a long block that is not finished; null: it has to stay whole. */
function divideBlock(block: MarkedToken, raw: string): Divided | null {
  switch (block.type) {
    case 'code':
      return divideCode(block);
    case 'list':
      return divideList(block, raw);
    default:
      return null;
  }
}

/** A fence that is left open ends with the text. */
function divideCode({ raw, text, codeBlockStyle }: Tokens.Code): Divided | null {
  if (codeBlockStyle === 'indented') return null;
  const fence = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/.exec(raw)?.[0];
  const lines = text.split('\n');
  if (fence === undefined || lines.length <= 2 * codeTail || isClosed(raw, fence)) return null;
  const open = raw.slice(fence.length).split('\n');
  return {
    finished: `${fence}${open.slice(0, -codeTail).join('\n')}`,
    rest: `${fence}${open.slice(-codeTail).join('\n')}`,
  };
}

const isClosed = (raw: string, fence: string): boolean => {
  const mark = fence.trim().slice(0, 3);
  return raw
    .slice(fence.length)
    .split('\n')
    .some((line) => line.trim().startsWith(mark));
};

/** All items but the last are finished. The item that is left keeps its number. */
function divideList({ items }: Tokens.List, raw: string): Divided | null {
  const last = items.at(-1);
  if (!last || items.length < 2) return null;
  const at = raw.lastIndexOf(last.raw.trimEnd());
  return at <= 0 ? null : { finished: raw.slice(0, at), rest: raw.slice(at) };
}
