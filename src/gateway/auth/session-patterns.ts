// The names of sessions in a token, `*` for any characters: the sessions that its speaker may open and join.
import * as z from 'zod';
import { maxSessionChars } from '../../wire/frame-limits.ts';

const maxPatterns = 64;

export const sessionPatternsSchema = z
  .array(
    z
      .string()
      .min(1)
      .max(maxSessionChars)
      .regex(/^[A-Za-z0-9._:@/*-]*$/, 'must be made of A-Z a-z 0-9 . _ : @ / - and *'),
  )
  .max(maxPatterns);

/** Returns the patterns of a claim; null: there is none. A claim that is not good gives no session. */
export function sessionsOfClaim(claim: unknown): readonly string[] | null {
  if (claim === undefined) return null;
  return sessionPatternsSchema.safeParse(claim).data ?? [];
}
