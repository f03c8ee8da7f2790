// Tokens out of a file, for small set-ups: { "<token>": { "speaker": "ann", "roles": ["moderator"] } }.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { roles } from '../../../machines/vocabulary.ts';
import { maxSpeakerChars, maxTokenChars } from '../../protocol/frame-limits.ts';
import { type Flaw, flawOf, pathOf } from '../../protocol/schema-issue.ts';
import type { Authenticator, Proof } from './authenticator.ts';

/** A token that can be guessed is none. */
const minTokenChars = 16;

const entriesSchema = z.record(
  z.string().min(minTokenChars).max(maxTokenChars),
  z.strictObject({
    speaker: z.string().min(1).max(maxSpeakerChars),
    roles: z.array(z.enum(roles)).default(['member']),
  }),
);
export type TokenEntries = z.input<typeof entriesSchema>;

/** Throws, naming the entry, when the entries are not what they should be. */
export function createTokenAuthenticator(entries: TokenEntries): Authenticator {
  const parsed = entriesSchema.safeParse(entries);
  if (!parsed.success) throw new Error(sentenceOf(entries, flawOf(entriesSchema, entries, parsed.error.issues)));
  const known = Object.entries(parsed.data).map(([token, { speaker, roles: has }]) => ({
    digest: digestOf(token),
    proof: { speaker: { id: speaker, roles: has }, expiresAt: null } satisfies Proof,
  }));
  return {
    kind: 'tokens',
    async verify(token) {
      if (token === null) return null;
      const digest = digestOf(token);
      let found: Proof | null = null;
      // every entry is compared, and each in the same time: how long it takes tells nothing
      for (const entry of known) {
        if (timingSafeEqual(entry.digest, digest)) found = entry.proof;
      }
      return found;
    },
  };
}

/** A token is a secret: its place is told, not itself. */
function sentenceOf(entries: unknown, { at, kind, says }: Flaw): string {
  const [token, ...field] = at;
  if (token === undefined) return `The tokens are not good: the whole ${says}.`;
  const entry = `entry ${Object.keys(entries as object).indexOf(String(token)) + 1}`;
  const told = {
    key: `${entry}: the token ${says}.`,
    unknown: `${entry} has no such field as ${pathOf(field)}. ${says}`,
    value: `${[entry, ...(field.length > 0 ? [pathOf(field)] : [])].join(', ')}: it ${says}.`,
  };
  return `The tokens are not good: ${told[kind]}`;
}

/** Throws, naming the file, when it cannot be read or is not what it should be. */
export function readTokenFile(path: string): Authenticator {
  try {
    return createTokenAuthenticator(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'It is not JSON.' : error instanceof Error ? error.message : String(error);
    throw new Error(`The token file ${path} cannot be used. ${why}`, { cause: error });
  }
}

const digestOf = (token: string) => createHash('sha256').update(token).digest();
