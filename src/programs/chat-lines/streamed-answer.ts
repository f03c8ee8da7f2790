// The text of one model call on its way to the terminal: its reasoning first, then the answer block by block.
import type { TextBlockView } from '../../client/view/snapshot.ts';
import { outputLines } from '../../core/text/plain-output.ts';
import { countText } from '../../core/words/count-text.ts';
import { wrapLine } from './line-width.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { lineOf, type StyledLine } from './styled-text.ts';

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

  /** Returns the lines that are final now: of the reasoning, and of the answer. */
  takeLines(block: TextBlockView, columns: number): { reasoning: readonly StyledLine[]; text: readonly StyledLine[] } {
    const fresh = block.text.slice(this.#taken);
    this.#taken += fresh.length;
    this.#markdown.push(fresh);
    const isClosed = block.state === 'closed';
    const isReasoned = this.#reasoning === 'streams' && (this.#taken > 0 || isClosed);
    if (isReasoned) this.#reasoning = 'printed';
    const finished = this.#markdown.takeFinished(columns);
    return {
      reasoning: isReasoned ? shortReasoning(block.reasoning, columns) : [],
      text: isClosed ? [...finished, ...this.#markdown.takeRest(columns), ...cutOffLines(block)] : finished,
    };
  }

  /** Returns the lines that may still change. */
  unfinished(block: TextBlockView, columns: number): readonly StyledLine[] {
    if (this.#reasoning === 'streams') return wrapReasoning(block.reasoning, columns).slice(-reasoningLines);
    return this.#markdown.unfinished(columns);
  }
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
