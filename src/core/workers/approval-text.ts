// Cuts the text of an approval to what a person reads at a glance, says how much is hidden, and keeps the whole for who wants to see it.
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

/** Returns a short text as it is. */
export function approvalText(text: string): ApprovalText {
  if (typeof text !== 'string' || text.length <= shownChars) return { text };
  return { text: boundText(text, shownChars).output, whole: boundText(text, keptChars).output };
}
