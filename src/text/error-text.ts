// Returns the message of anything that was thrown, as a text of limited length.
import { truncate } from './bound-text.ts';

const maxChars = 2_000;

/** Never throws: what is thrown need not be an Error, an error's message need not be a text, and not everything can be made one. */
export function errorText(thrown: unknown): string {
  try {
    const message = thrown instanceof Error ? thrown.message : thrown;
    return truncate(typeof message === 'string' ? message : String(message), maxChars);
  } catch {
    return 'something that has no text';
  }
}
