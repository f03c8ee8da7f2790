// Decodes client frames, and encodes frames. A text that is no frame becomes a problem that names the field and the limit.

import type * as z from 'zod';
import { dropUndefined } from '../core/collections/fields.ts';
import { describeIssue, pathText, valueAt } from '../core/text/schema-issue.ts';
import { type ClientFrame, clientSchemas } from './client-frames.ts';
import { type FrameProblem, problem } from './errors.ts';
import { maxRefChars } from './frame-limits.ts';
import type { ServerFrame } from './server-frames.ts';

export type Decoded =
  | { readonly ok: true; readonly frame: ClientFrame }
  /** `ref` if it could be read, so that the sender finds its frame again. */
  | { readonly ok: false; readonly problem: FrameProblem; readonly ref?: string };

const maxNameChars = 64;
/** Names that a client made long are not sent back whole. */
const truncate = (name: string) => (name.length > maxNameChars ? `${name.slice(0, maxNameChars)}…` : name);

/** Decodes the text of a message. Never throws, whatever the text is. */
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
  const schema = clientSchemas.get(value.type);
  if (!schema) {
    const message = `There is no client frame of the type "${truncate(value.type)}".`;
    return { ok: false, problem: problem('unknown_type', { message, field: 'type' }), ...refOf(value) };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, frame: parsed.data };
  return { ok: false, problem: problemOf(schema, value, parsed.error.issues), ...refOf(value) };
}

/** Encodes a frame as the text of a message. */
export function encodeFrame(frame: ServerFrame | ClientFrame): string {
  return JSON.stringify(frame);
}

const refOf = (value: object): { ref?: string } =>
  'ref' in value && typeof value.ref === 'string' && value.ref.length <= maxRefChars ? { ref: value.ref } : {};

function problemOf(schema: z.ZodType, value: object, issues: readonly z.core.$ZodIssue[]): FrameProblem {
  const { path, kind, text, limit } = describeIssue(schema, value, issues);
  const field = truncate(pathText(path));
  if (kind === 'unknown')
    return problem('unknown_field', { message: `The frame has no field "${field}". ${text}`, field });
  const code = valueAt(value, path) === undefined ? 'missing_field' : 'bad_field';
  return problem(code, { message: `The field "${field}" ${text}.`, field, ...dropUndefined({ limit }) });
}
