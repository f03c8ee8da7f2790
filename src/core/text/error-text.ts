// Returns the message of anything that was thrown, as a text of limited length.
import { truncate } from './bound-text.ts';

const maxChars = 2_000;

/** Returns the message of whatever was thrown, and never throws: it need not be an Error, its message need not be a text, and not everything can be made one. */
export function errorText(thrown: unknown): string {
  try {
    const message = thrown instanceof Error ? thrown.message : thrown;
    return truncate(typeof message === 'string' ? message : String(message), maxChars);
  } catch {
    return 'something that has no text';
  }
}

/** Characters of a stack. */
const maxStackChars = 2_000;

export interface ErrorFields {
  readonly error?: string;
  readonly code?: string;
  readonly stack?: string;
}

/** Returns the fields of anything that was thrown; none of nothing. Never throws. */
export function describeError(thrown: unknown): ErrorFields {
  if (thrown === undefined || thrown === null) return {};
  try {
    const { name, code, stack } = thrown as Readonly<Record<string, unknown>>; // each field of anything is unknown
    return {
      error: isName(name) ? name : typeof thrown,
      ...(isName(code) && { code }),
      ...(typeof stack === 'string' && { stack: placesOf(stack) }),
    };
  } catch {
    return { error: 'unknown' };
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value);

/** The lines of a stack that name places in files: the others are the message. */
const placesOf = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line))
    .map((line) => line.trim())
    .join('\n')
    .slice(0, maxStackChars);
