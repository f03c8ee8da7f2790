// An authenticator of tokens from a file, for small set-ups: { "<token>": { "speaker": "ann", "roles": ["moderator"], "sessions": ["team-*"] } }.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { roles } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import { errorText } from '../../core/text/error-text.ts';
import { describeIssue, pathText, type SchemaIssue } from '../../core/text/schema-issue.ts';
import { maxTokenChars } from '../../wire/frame-limits.ts';
import { speakerNameSchema } from '../../wire/speaker-name.ts';
import type { Authenticator, Proof } from './authenticator.ts';
import { sessionPatternsSchema } from './session-patterns.ts';

/** Shorter tokens could be guessed. */
const minTokenChars = 16;

const entriesSchema = z.record(
  z.string().min(minTokenChars).max(maxTokenChars),
  z.strictObject({
    speaker: speakerNameSchema,
    roles: z.array(z.enum(roles)).default(['member']),
    sessions: sessionPatternsSchema.optional(),
  }),
);
export type TokenEntries = z.input<typeof entriesSchema>;

/** A token as it is compared. */
export interface KnownToken {
  readonly digest: Buffer;
  readonly proof: Proof;
}

/** Creates an authenticator of tokens. Throws an error that names the entry when one is not valid, and never a token. */
export function createTokenAuthenticator(entries: TokenEntries): Authenticator {
  const known = knownTokens(entries);
  return {
    kind: 'tokens',
    lookUp: (token) => findProof(known, token),
    verify: async (token) => (token === null ? null : findProof(known, token)),
  };
}

function knownTokens(entries: TokenEntries): readonly KnownToken[] {
  const parsed = entriesSchema.safeParse(entries);
  if (!parsed.success)
    throw new Error(issueMessage(entries, describeIssue(entriesSchema, entries, parsed.error.issues)));
  return Object.entries(parsed.data).map(([token, { speaker, roles: has, sessions = null }]) => ({
    digest: digestOf(token),
    proof: { speaker: { id: speaker, roles: has }, sessions, expiresAt: null },
  }));
}

/** Returns what a token proves; null: it is none of these. */
export function findProof(known: readonly KnownToken[], token: string): Proof | null {
  const digest = digestOf(token);
  let found: Proof | null = null;
  // every entry is compared, each in the same time: the time reveals nothing about a token
  for (const entry of known) {
    if (timingSafeEqual(entry.digest, digest)) found = entry.proof;
  }
  return found;
}

/** A token is a secret: the message has its number in the file instead. */
function issueMessage(entries: unknown, { path, kind, text }: SchemaIssue): string {
  const [token, ...field] = path;
  if (token === undefined) return `The tokens are not good: the whole ${text}.`;
  const entry = `entry ${Object.keys(fieldsOf(entries)).indexOf(String(token)) + 1}`;
  const messages = {
    key: `${entry}: the token ${text}.`,
    unknown: `${entry} has no such field as ${pathText(field)}. ${text}`,
    value: `${[entry, ...(field.length > 0 ? [pathText(field)] : [])].join(', ')}: it ${text}.`,
  };
  return `The tokens are not good: ${messages[kind]}`;
}

/** Reads a token file, once. Throws an error that names the file when it cannot be read or is not valid. */
export function readTokenFile(path: string): Authenticator {
  try {
    return createTokenAuthenticator(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw tokenFileError(path, error);
  }
}

/** Returns the tokens of the text of a token file. Throws when it is not valid; no message has a token. */
export const parseTokens = (text: string): readonly KnownToken[] => knownTokens(JSON.parse(text));

/** Names the file that cannot be used, and why. */
export function tokenFileError(path: string, error: unknown): Error {
  const why = error instanceof SyntaxError ? 'It is not JSON.' : errorText(error); // the message of a SyntaxError may quote a token
  return new Error(`The token file ${path} cannot be used. ${why}`, { cause: error });
}

const digestOf = (token: string) => createHash('sha256').update(token).digest();
