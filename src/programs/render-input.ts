// Renders what becomes of words that wait, as plain lines: for a model call of a turn that runs, or for their turn.
import { findWords } from '../client/view/node-names.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { fateText } from '../core/words/receipt-words.ts';
import type { ServerFrameOf } from '../wire/server-frames.ts';
import { shorten } from './line-text.ts';
import type { Viewer } from './viewer.ts';

/** Characters of the words in a line. */
const maxWordChars = 40;

/** Whether a turn was opened by words that had waited for a model call of another one. */
export const wasDeferred = ({ turns }: SessionSnapshot, turn: string): boolean =>
  turns.some(({ inputs }) => inputs.some(({ id }) => id === turn));

/** The words of a turn or of a deferred input, in quotes; the id where the snapshot does not have them. */
export function quotedWords(snapshot: SessionSnapshot, id: string): string {
  const text = findWords(snapshot, id);
  return text ? `"${shorten(text, maxWordChars)}"` : id;
}

/** The lines of a frame about words that wait. */
export function renderInput(
  frame: ServerFrameOf<'input_deferred' | 'input_settled' | 'cancel_accepted'>,
  snapshot: SessionSnapshot,
  viewer: Viewer,
): readonly string[] {
  switch (frame.type) {
    case 'input_deferred':
      return viewer.isMine(frame.ref) ? [] : [`${frame.owner}> ${frame.text}`];
    case 'input_settled':
      // the lines of the CANCEL have said it
      if (frame.fate === 'cancelled' && frame.code === undefined) return [];
      return [`  ${quotedWords(snapshot, frame.input)}: ${frame.fate}: ${fateText(frame.fate)}`];
    case 'cancel_accepted':
      return (frame.queue ?? []).map(({ input, fate }) => {
        const text = fate === 'queued' ? 'queued: it starts after the stop' : `${fate}: ${fateText(fate)}`;
        return `  ${quotedWords(snapshot, input)}: ${text}`;
      });
    default:
      frame satisfies never;
      return [];
  }
}
