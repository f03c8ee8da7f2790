// The schema of a speaker's name, for frames and for files of tokens.
import * as z from 'zod';
import { nameProblem } from '../core/text/printable.ts';
import { maxSpeakerChars } from './frame-limits.ts';

/** See `nameProblem`: 1 to 128 characters that can be shown. */
export const speakerNameSchema = z
  .string()
  .min(1)
  .max(maxSpeakerChars)
  .superRefine((name, context) => {
    const problem = name.length === 0 || name.length > maxSpeakerChars ? null : nameProblem(name); // a length is named by its limit
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });
