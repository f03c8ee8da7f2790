// Parses the end of a call as untrusted: a tool does not always return what its type says.
import { z } from 'zod';
import { failureCodes } from '../../machines/codes.ts';
import { namesOf } from '../collections/names-of.ts';
import type { ToolEnd } from './tool.ts';

const codes = namesOf(failureCodes);

/** No effect `not_started`: the call has run. */
export const toolEndSchema = z.object({
  kind: z.enum(['completed', 'failed', 'stopped']),
  output: z.string(),
  code: z.enum(codes).optional(),
  message: z.string().optional(),
  omitted: z.int().min(0).optional(),
  effect: z.enum(['none', 'unknown', 'done']).optional(),
  forced: z.boolean().optional(),
});

const isToolEnd = (given: unknown): given is ToolEnd => toolEndSchema.safeParse(given).success;

/** Parses an end. A text alone is the output of a call that completed. Null: it is no end. */
export function parseToolEnd(given: unknown): ToolEnd | null {
  if (typeof given === 'string') return { kind: 'completed', output: given };
  return isToolEnd(given) ? given : null;
}
