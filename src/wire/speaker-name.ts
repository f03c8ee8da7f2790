// The schemas of a speaker's name, for frames and for files of tokens.
import * as z from 'zod';
import { nameProblem, speakerNameProblem } from '../core/text/printable.ts';
import { maxSpeakerChars } from './frame-limits.ts';

const nameSchema = (problemOf: (name: string) => string | null) =>
  z
    .string()
    .min(1)
    .max(maxSpeakerChars)
    .superRefine((name, context) => {
      const problem = name.length === 0 || name.length > maxSpeakerChars ? null : problemOf(name); // a length is named by its limit
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    });

/** A speaker who may be new: see `speakerNameProblem`. */
export const speakerNameSchema = nameSchema(speakerNameProblem);

/** A speaker whom a session may have by an older rule: see `nameProblem`. */
export const storedSpeakerSchema = nameSchema(nameProblem);
