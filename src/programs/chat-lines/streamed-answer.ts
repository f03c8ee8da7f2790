// The text of one model call on its way to the terminal: its reasoning first, then the answer block by block.
import type { TextBlockView } from '../../client/view/snapshot.ts';
import { maxBlockChars } from '../../core/markdown/markdown-blocks.ts';
import { outputLines } from '../../core/text/plain-output.ts';
import { countText } from '../../core/words/count-text.ts';
import { wrapLine } from './line-width.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { lineOf, type StyledLine } from './styled-text.ts';

/** The lines that are final, and that were not taken before. */
interface TakenLines {
  readonly reasoning: readonly StyledLine[];
  readonly text: readonly StyledLine[];
  /** Whether none of the text is left to be taken. */
  readonly isAll: boolean;
}

/** Lines of reasoning that are shown: of one that streams the last ones, of one that is over the first ones. */
const reasoningLines = 3;

export class StreamedAnswer {
  readonly turn: string;
  readonly index: number;
  readonly #markdown = new MarkdownStream();
  /** Characters of the text that were taken. */
  #taken = 0;
  #reasoning: 'streams' | 'printed' = 'streams';

  constructor(turn: string, index: number) {
    this.turn = turn;
    this.index = index;
  }

  /** Returns the lines that are final: of the reasoning, and of the text up to the next blank line. Whatever a text costs, it is drawn in such parts. */
  takeLines(block: TextBlockView, columns: number): TakenLines {
    const fresh = nextPart(block.text, this.#taken);
    this.#taken += fresh.length;
    this.#markdown.push(fresh);
    const isAll = this.#taken >= block.text.length;
    const isClosed = isAll && block.state === 'closed';
    const isReasoned = this.#reasoning === 'streams' && (this.#taken > 0 || isClosed);
    if (isReasoned) this.#reasoning = 'printed';
    const finished = this.#markdown.takeFinished(columns);
    return {
      reasoning: isReasoned ? shortReasoning(block.reasoning, columns) : [],
      text: isClosed ? [...finished, ...this.#markdown.takeRest(columns), ...cutOffLines(block)] : finished,
      isAll,
    };
  }

  /** Returns the lines that may still change. */
  unfinished(block: TextBlockView, columns: number): readonly StyledLine[] {
    if (this.#reasoning === 'streams') return wrapReasoning(block.reasoning, columns).slice(-reasoningLines);
    return this.#markdown.unfinished(columns);
  }
}

/** Returns the text from `at` to the end of the next blank lines, or the limit of a block. */
function nextPart(text: string, at: number): string {
  const most = text.slice(at, at + maxBlockChars);
  const blank = /\n[ \t]*\n\s*/.exec(most);
  return blank ? most.slice(0, blank.index + blank[0].length) : most;
}

/** Returns all lines of a reasoning. */
export const wrapReasoning = (text: string, columns: number): readonly StyledLine[] =>
  outputLines(text.trim()).flatMap((line) => wrapLine(lineOf(line, 'soft'), columns));

function shortReasoning(text: string, columns: number): readonly StyledLine[] {
  const lines = wrapReasoning(text, columns);
  if (lines.length <= reasoningLines + 1) return lines;
  const note = `… ${countText(lines.length - reasoningLines, 'more line')} of reasoning (Ctrl-O)`;
  return [...lines.slice(0, reasoningLines), lineOf(note, 'soft')];
}

const cutOffLines = ({ cutOff, text }: TextBlockView): readonly StyledLine[] =>
  cutOff && text !== '' ? [lineOf('… (the text ends here)', 'soft')] : [];
