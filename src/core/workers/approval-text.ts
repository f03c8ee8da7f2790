// Bounds what an approval says: its text to what a person reads at a glance, the whole text and the arguments to what a fact may hold.
import { boundText } from '../text/bound-text.ts';

/** Characters that are shown: the beginning, a line that says how many are missing, the end. */
const shownChars = 2_000;
/** Characters that are kept, in the same way. */
const keptChars = 65_536;

export interface ApprovalText {
  readonly text: string;
  /** The text before it was cut. Left out: `text` is whole. */
  readonly whole?: string;
}

/** Returns the arguments of a call, a JSON text; long ones are cut in their middle, and are no JSON any more. */
export const boundArguments = (text: string): string => boundText(text === '' ? '{}' : text, keptChars).output;

/** Returns a short text as it is. */
export function approvalText(text: string): ApprovalText {
  if (typeof text !== 'string' || text.length <= shownChars) return { text };
  return { text: boundText(text, shownChars).output, whole: boundText(text, keptChars).output };
}
