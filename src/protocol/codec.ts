// Text to a client frame, or to a problem that names the field and the limit. Never throws, whatever the text.
import type * as z from 'zod';
import { type ClientFrame, clientSchemas } from './client-frames.ts';
import { type FrameProblem, problem } from './errors.ts';
import { maxRefChars } from './frame-limits.ts';
import type { ServerFrame } from './server-frames.ts';

export type Decoded =
  | { readonly ok: true; readonly frame: ClientFrame }
  /** `ref` where it could be read, so that the sender finds its frame again. */
  | { readonly ok: false; readonly problem: FrameProblem; readonly ref?: string };

const shownChars = 64;
const shown = (text: string) => (text.length > shownChars ? `${text.slice(0, shownChars)}…` : text);

export function decodeClientFrame(text: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: problem('not_json') };
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { ok: false, problem: problem('not_a_frame') };
  }
  const ref = refOf(value);
  const schema = clientSchemas.get(value.type);
  if (!schema) {
    const message = `There is no client frame of the type "${shown(value.type)}".`;
    return { ok: false, problem: problem('unknown_type', { message, field: 'type' }), ...ref };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, frame: parsed.data };
  return { ok: false, problem: problemOf(value, parsed.error.issues), ...ref };
}

export function encodeFrame(frame: ServerFrame | ClientFrame): string {
  return JSON.stringify(frame);
}

const refOf = (value: object): { ref?: string } =>
  'ref' in value && typeof value.ref === 'string' && value.ref.length <= maxRefChars ? { ref: value.ref } : {};

/** The first issue is told: one is enough to find the mistake. */
function problemOf(value: object, [issue]: readonly z.core.$ZodIssue[]): FrameProblem {
  if (!issue) return problem('bad_field');
  if (issue.code === 'unrecognized_keys') {
    const field = shown(issue.keys[0] ?? '');
    return problem('unknown_field', { message: `The frame has no field "${field}".`, field });
  }
  const field = String(issue.path[0] ?? '');
  if (!Object.hasOwn(value, field)) {
    return problem('missing_field', { message: `The field "${field}" is missing.`, field });
  }
  const { said, limit } = saidOf(issue);
  return problem('bad_field', {
    message: `The field "${field}" ${said}.`,
    field,
    ...(limit !== undefined && { limit }),
  });
}

function saidOf(issue: z.core.$ZodIssue): { said: string; limit?: number } {
  const [verb, unit] = 'origin' in issue && issue.origin === 'string' ? ['have', ' characters'] : ['be', ''];
  switch (issue.code) {
    case 'too_big':
      return { said: `must ${verb} at most ${issue.maximum}${unit}`, limit: Number(issue.maximum) };
    case 'too_small':
      return { said: `must ${verb} at least ${issue.minimum}${unit}`, limit: Number(issue.minimum) };
    case 'invalid_type':
      return { said: `must be of the type ${issue.expected}` };
    default:
      return { said: issue.message };
  }
}
