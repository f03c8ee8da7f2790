// How a call ended, read as from a stranger: what a tool gives is not always what its type says.
import { z } from 'zod';
import { type FailureCode, failureCodes } from '../../machines/codes.ts';
import type { ToolEnd } from './tool.ts';

const codes = Object.keys(failureCodes) as FailureCode[];

/** `not_started` is not a tool's to say: it was entered. */
export const toolEndSchema = z.object({
  kind: z.enum(['completed', 'failed', 'stopped']),
  output: z.string(),
  code: z.enum(codes).optional(),
  message: z.string().optional(),
  omitted: z.int().min(0).optional(),
  effect: z.enum(['none', 'unknown', 'done']).optional(),
  forced: z.boolean().optional(),
});

/** A text alone is the output of a call that completed. Null: nonsense. */
export function parseToolEnd(given: unknown): ToolEnd | null {
  if (typeof given === 'string') return { kind: 'completed', output: given };
  return toolEndSchema.safeParse(given).success ? (given as ToolEnd) : null;
}
