// The fields that several frames of clients have: texts, refs, names of sessions, speakers and shares.
import * as z from 'zod';
import { maxRefChars, maxSessionChars } from './frame-limits.ts';
import { speakerNameSchema } from './speaker-name.ts';

const wellFormed = z.refine<string>((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** A text of any length. */
export const anyText = z.string().check(wellFormed);

/** A text with at least one character that is no blank. */
export const wordsText = z.string().regex(/\S/, 'must not be blank').check(wellFormed);

/** Returns the schema of a text of `min` to `max` characters. */
export const boundedText = (max: number, min = 1) => z.string().min(min).max(max).check(wellFormed);

export const frameFields = {
  ref: z
    .string()
    .min(1)
    .max(maxRefChars)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces'),
  session: z
    .string()
    .min(1)
    .max(maxSessionChars)
    .regex(/^[A-Za-z0-9._:@/-]*$/, 'must be made of A-Z a-z 0-9 . _ : @ / -'),
  as: speakerNameSchema.optional(),
  /** From 0 to 1. */
  share: z.number().min(0).max(1).optional(),
} as const;
