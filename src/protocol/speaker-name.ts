// The schema of a speaker's name, for frames and for files of tokens.
import * as z from 'zod';
import { nameProblem } from '../text/printable.ts';

/** See `nameProblem`: 1 to 128 characters that can be shown. */
export const speakerNameSchema = z.string().superRefine((name, context) => {
  const problem = nameProblem(name);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});
