// Texts in one line of a terminal: shortened and safe. The words for outcomes are in src/core/words/.

import { truncate } from '../core/text/bound-text.ts';
import { makePrintable } from '../core/text/printable.ts';
import { type EndedWork, endingText } from '../core/words/receipt-words.ts';

/** Characters of arguments, messages and answers in a line. */
const maxChars = 72;

/** Formats a text as one safe line, cut after `limit` characters. */
export const shorten = (text: string, limit = maxChars): string =>
  truncate(makePrintable(text).replace(/\s+/g, ' ').trim(), limit);

/** Formats the call that another one waits for, like `ann's shell (call_3) in room-a`. `speaker`: who reads it. */
export function awaitedText(awaited: AwaitedText, speaker: string): string {
  const { node, name, owner, session } = awaited;
  const whose = owner === speaker ? 'your' : `${owner}'s`;
  return `${whose} ${name ?? 'call'} (${node})${session ? ` in ${session}` : ''}`;
}

interface AwaitedText {
  readonly node: string;
  readonly name: string | null;
  readonly owner: string;
  readonly session?: string | null;
}

/** The end of a call, a turn or a sub-agent, as its frame has it. */
interface EndedNode extends Omit<EndedWork, 'why'> {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** Says how work has ended, and why: `failed after 1.2 s: exit code 2 (command_failed)`. */
export const endLine = ({ code, message, ...end }: EndedNode): string =>
  endingText({ ...end, why: reasonText(code, message) });

/** Returns the limit on the words of an error. Those of an endpoint are shown whole: the remedy stands at their end. */
const maxCharsOf = (code: string): number => (code.startsWith('model_') ? Number.POSITIVE_INFINITY : maxChars);

function reasonText(code: string | undefined, message: string | undefined): string {
  if (code === undefined) return '';
  return message ? `: ${shorten(message, maxCharsOf(code))} (${code})` : ` (${code})`;
}
