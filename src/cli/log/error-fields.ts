// What the log says of an error: its name, code and place. Its message may repeat words of a conversation.
import { fieldsOf } from '../../collections/untrusted-fields.ts';

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
    const { name, code, stack } = fieldsOf(thrown);
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
