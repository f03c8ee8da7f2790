// Renders a text in Markdown that is whole, as an answer that has come at once.
import { MarkdownStream } from '../../../src/programs/chat-lines/markdown-stream.ts';
import type { StyledLine } from '../../../src/programs/chat-lines/styled-text.ts';

/** Returns the lines of the text. */
export function markdownLines(text: string, columns: number): readonly StyledLine[] {
  const stream = new MarkdownStream();
  stream.push(text);
  return stream.takeRest(columns);
}
