// How an outside agent is configured, and the bounds that it is held to.
import { isAbsolute } from 'node:path';
import { z } from 'zod';

const milliseconds = z.int().min(1).max(2_147_483_647);
const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

export const acpAgentSchema = z.strictObject({
  /** A file to run, found by PATH where it has no slash. */
  command: text.min(1),
  args: z.array(text).default([]),
  /** Where it works: an absolute folder; the first root where this is left out. It is no sandbox. */
  cwd: text.refine(isAbsolute, 'must be an absolute folder').optional(),
  /** Variables that it sees beside the usual few. */
  env: z.record(z.string().regex(/^[^=\0]+$/), text).default({}),
  /** Variables of the host's environment that it sees too, by name: a key, for one. */
  passEnvironment: z.array(z.string().min(1)).default([]),
  /** How long it may take from its start to its session. */
  startMs: milliseconds.default(60_000),
  /** How long it has to obey a `session/cancel`; and to leave by itself when it has answered. */
  cancelMs: milliseconds.default(500),
  /** From TERM to KILL. */
  termGraceMs: milliseconds.default(500),
});

/** An agent that runs as a process of its own and speaks the Agent Client Protocol on its stdin and stdout. */
export type AcpAgent = z.input<typeof acpAgentSchema>;
export type AcpAgentSettings = z.output<typeof acpAgentSchema> & { readonly cwd: string };

export interface Surroundings {
  /** Where the agent stands in the configuration: for what is thrown. */
  readonly at: string;
  readonly roots: readonly string[];
  /** The stop budget of a call: the whole ladder must fit in it. */
  readonly toolCancelMs: number;
}

/** The settings with their defaults. Throws a RangeError that names the field, and the limit. */
export function readAcpAgent(agent: AcpAgent, { at, roots, toolCancelMs }: Surroundings): AcpAgentSettings {
  const parsed = acpAgentSchema.safeParse(agent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new RangeError(`${[at, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
  }
  const { cancelMs, termGraceMs, cwd = roots[0] } = parsed.data;
  if (cwd === undefined) throw new RangeError(`${at}.cwd is needed where there are no roots`);
  if (cancelMs + termGraceMs >= toolCancelMs) {
    const sum = `${at}.cancelMs + ${at}.termGraceMs (${cancelMs} + ${termGraceMs})`;
    throw new RangeError(`${sum} must be less than limits.toolCancelMs (${toolCancelMs})`);
  }
  return { ...parsed.data, cwd };
}
