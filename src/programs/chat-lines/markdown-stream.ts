// A text in Markdown that still grows: its finished blocks are taken off and printed for good, the unfinished end is shown again and again.
//
// 1. A block is finished when another one follows it. Of a long list the items, and of a long code block the lines, are finished one by one.
// 2. What was taken off never changes, whatever comes after it.
// 3. At most about twice the limit of a block is not finished: a longer one is finished as far as the limit, and goes on as plain text.
import type { Tokens } from 'marked';
import {
  type Divided,
  divideList,
  isShownBlock,
  type MarkdownBlock,
  maxBlockChars,
  readBlocks,
} from '../../core/markdown/markdown-blocks.ts';
import { blockLines, cleanMarkdown } from './markdown-lines.ts';
import { lineOf, type StyledLine } from './styled-text.ts';

/** Lines of an unfinished code block that are shown in the unfinished end. */
const codeTail = 4;

export class MarkdownStream {
  /** What is not finished, as Markdown of its own. */
  #rest = '';
  /** Where the rest stands: before all lines that were taken off, after a block of them, in the block that they have begun, or after the limit of that block. */
  #place: 'start' | 'after-block' | 'in-block' | 'past-limit' = 'start';
  /** The blocks of the rest; null: they have to be read again. */
  #blocks: readonly MarkdownBlock[] | null = null;

  /** Appends text. */
  push(text: string): void {
    if (text !== '') this.#setRest(this.#rest + cleanMarkdown(text));
  }

  #setRest(rest: string): void {
    this.#rest = rest;
    this.#blocks = null;
  }

  #read(): readonly MarkdownBlock[] {
    this.#blocks ??= readBlocks(this.#rest, this.#place === 'past-limit' ? 'rest' : 'block');
    return this.#blocks;
  }

  /** Takes off what is finished, and returns its lines. */
  takeFinished(columns: number): readonly StyledLine[] {
    const lines: StyledLine[] = [];
    const isLine = this.#rest.length <= maxBlockChars && !this.#rest.includes('\n');
    if (isLine) return lines; // nothing follows its block
    const blocks = this.#read();
    const at = blocks.findLastIndex(isShownBlock);
    const last = blocks[at];
    if (!last) return lines;
    for (const block of blocks.slice(0, at)) lines.push(...this.#print(block, columns));
    // not the `raw` of the last one: blanks at the end of a list are missing there
    if (at > 0)
      this.#setRest(this.#rest.slice(blocks.slice(0, at).reduce((length, { raw }) => length + raw.length, 0)));
    if (last.type === 'rest') this.#place = 'past-limit';
    const parts = divideBlock(last, this.#rest);
    if (!parts) return lines;
    const finished = readBlocks(parts.finished, last.type === 'rest' ? 'rest' : 'block');
    for (const block of finished) lines.push(...this.#print(block, columns));
    this.#setRest(parts.rest);
    this.#place = last.type !== 'rest' ? 'in-block' : endsBlank(last.raw) ? 'after-block' : 'past-limit';
    return lines;
  }

  /** Returns the lines of what is not finished, as it looks now. */
  unfinished(columns: number): readonly StyledLine[] {
    const lines = this.#read().flatMap((block) => blockLines(block, columns));
    return this.#separate(lines);
  }

  /** Takes off all that is left: the text has ended. */
  takeRest(columns: number): readonly StyledLine[] {
    const lines = this.#read().flatMap((block) => this.#print(block, columns));
    this.#setRest('');
    return lines;
  }

  /** A blank line stands between blocks. */
  #separate(lines: readonly StyledLine[]): readonly StyledLine[] {
    return lines.length > 0 && this.#place === 'after-block' ? [lineOf(''), ...lines] : lines;
  }

  #print(block: MarkdownBlock, columns: number): readonly StyledLine[] {
    const lines = blockLines(block, columns);
    if (lines.length === 0) return [];
    const separated = block.type === 'rest' ? lines : this.#separate(lines);
    this.#place = 'after-block';
    return separated;
  }
}

/** Divides a long block that is not finished; null: it has to stay whole. */
function divideBlock(block: MarkdownBlock, raw: string): Divided | null {
  switch (block.type) {
    case 'code':
      return divideCode(block);
    case 'list':
      return divideList(block, raw);
    case 'rest':
      return raw.length <= maxBlockChars ? null : { finished: block.raw, rest: raw.slice(block.raw.length) };
    default:
      return null;
  }
}

/** Whether a blank line ends the text: what follows is a block of its own. */
const endsBlank = (text: string): boolean => /\n[ \t]*\n$/.test(text);

/** Divides a text after its first characters; null: it has no more. */
const divideText = (text: string, chars: number): Divided | null =>
  text.length <= chars ? null : { finished: text.slice(0, chars), rest: text.slice(chars) };

/** A fence that is left open ends with the text. */
function divideCode({ raw, text, codeBlockStyle }: Tokens.Code): Divided | null {
  if (codeBlockStyle === 'indented') return null;
  // not followed by more of it: thousands of marks without a line feed would be tried in each length
  const fence = /^ {0,3}(?:`{3,}(?!`)|~{3,}(?!~))[^\n]*\n/.exec(raw)?.[0];
  const lines = text.split('\n');
  if (fence === undefined || isClosed(raw, fence)) return null;
  if (lines.length <= 2 * codeTail) {
    const parts = divideText(raw, maxBlockChars);
    return parts && { finished: parts.finished, rest: `${fence}${parts.rest}` };
  }
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
