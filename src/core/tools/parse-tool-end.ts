// Parses the end of a call as untrusted: a tool does not always return what its type says.
import { z } from 'zod';
import { failureCodes } from '../../../machines/codes.ts';
import { namesOf } from '../collections/fields.ts';
import type { ToolEnd } from '../contracts/tool.ts';
import { issueLines } from '../text/schema-issue.ts';
import { partsSchema } from './tool-parts.ts';

const codes = namesOf(failureCodes);
const tokens = z.int().min(0);

const usageSchema = z.object({
  kind: z.enum(['exact', 'estimated', 'unknown']),
  input: tokens.nullable(),
  output: tokens.nullable(),
  cachedInput: tokens.exactOptional(),
  cacheWrite: tokens.exactOptional(),
  reasoning: tokens.exactOptional(),
  cost: z.number().min(0).exactOptional(),
});

/** No effect `not_started`: the call has run. A field that is missing here does not compile: it would be lost. */
export const toolEndSchema = z.object({
  kind: z.enum(['completed', 'failed', 'stopped']),
  output: z.string(),
  parts: partsSchema.optional(),
  code: z.enum(codes).optional(),
  message: z.string().optional(),
  omitted: z.int().min(0).optional(),
  effect: z.enum(['none', 'unknown', 'done']).optional(),
  forced: z.boolean().optional(),
  usage: usageSchema.optional(),
} satisfies Readonly<Record<keyof ToolEnd, z.ZodType>>);

export type ParsedToolEnd =
  | { readonly ok: true; readonly end: ToolEnd }
  | {
      readonly ok: false;
      /** Says what is wrong with it: the field, or that it is none at all. */
      readonly problem: string;
    };

/** Parses an end. A text alone is the output of a call that completed. */
export function parseToolEnd(given: unknown): ParsedToolEnd {
  if (typeof given === 'string') return { ok: true, end: { kind: 'completed', output: given } };
  const parsed = toolEndSchema.safeParse(given);
  if (parsed.success) return { ok: true, end: parsed.data };
  const isObject = typeof given === 'object' && given !== null;
  const [problem = ''] = isObject ? issueLines(toolEndSchema, given, parsed.error.issues, 1) : ['it is no object'];
  return { ok: false, problem };
}
