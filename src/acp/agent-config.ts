// The configuration of an outside agent, with its limits.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { describeIssue, issueLine } from '../text/schema-issue.ts';

const milliseconds = z.int().min(1).max(2_147_483_647);
const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

export const acpAgentSchema = z.strictObject({
  /** The program, found by PATH where it has no slash. */
  command: text.min(1),
  args: z.array(text).default([]),
  /** The agent's working folder, absolute; the first root where it is left out. It is no sandbox. */
  cwd: text.refine(isAbsolute, 'must be an absolute folder').optional(),
  /** Environment variables of the process, besides the usual few. */
  env: z.record(z.string().regex(/^[^=\0]+$/), text).default({}),
  /** Names of environment variables that are passed on from this process: a key, say. */
  passEnvironment: z.array(z.string().min(1)).default([]),
  /** Milliseconds from its start to its session. */
  startMs: milliseconds.default(60_000),
  /** Milliseconds to obey a `session/cancel`, and to exit by itself after its response. */
  cancelMs: milliseconds.default(500),
  /** Milliseconds from TERM to KILL. */
  termGraceMs: milliseconds.default(500),
});

/** An agent that runs as a process of its own and speaks the Agent Client Protocol on its stdin and stdout. */
export type AcpAgent = z.input<typeof acpAgentSchema>;
export type AcpAgentSettings = z.output<typeof acpAgentSchema> & { readonly cwd: string };

export interface AcpAgentContext {
  /** The agent's path in the configuration, for error messages. */
  readonly path: string;
  readonly roots: readonly string[];
  /** The stop budget of a call, in milliseconds: `cancelMs` and `termGraceMs` must fit in it. */
  readonly toolCancelMs: number;
}

/**
 * Reads the settings of an agent, with their defaults.
 *
 * @throws RangeError which names the field and the limit
 */
export function readAcpAgent(agent: AcpAgent, { path, roots, toolCancelMs }: AcpAgentContext): AcpAgentSettings {
  const parsed = acpAgentSchema.safeParse(agent);
  if (!parsed.success) {
    throw new RangeError(issueLine(describeIssue(acpAgentSchema, agent, parsed.error.issues), path));
  }
  const { cancelMs, termGraceMs, cwd = roots[0] } = parsed.data;
  if (cwd === undefined) throw new RangeError(`${path}.cwd is needed where there are no roots`);
  if (cancelMs + termGraceMs >= toolCancelMs) {
    const sum = `${path}.cancelMs + ${path}.termGraceMs (${cancelMs} + ${termGraceMs})`;
    throw new RangeError(`${sum} must be less than limits.toolCancelMs (${toolCancelMs})`);
  }
  return { ...parsed.data, cwd };
}
