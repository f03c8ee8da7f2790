// The configuration of an outside agent: schema, defaults and limits.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { AcpAgent, AgentLimits } from '../../core/contracts/outside-agents.ts';
import { describeIssue, issueLine } from '../../core/text/schema-issue.ts';
import { agentMcpServersSchema } from './agent-mcp-servers.ts';

const milliseconds = z.int().min(1).max(2_147_483_647);
const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

export const acpAgentSchema = z.strictObject({
  /** The program. Without a slash it is searched in PATH. */
  command: text.min(1),
  args: z.array(text).default([]),
  /** The agent's working folder, absolute; default: the first root. The agent can still read and write outside it. */
  cwd: text.refine(isAbsolute, 'must be an absolute path').optional(),
  /** Environment variables of the process, in addition to those that every child process gets (process/environment.ts). */
  env: z.record(z.string().regex(/^[^=\0]+$/), text).default({}),
  /** Names of environment variables that are passed on from this process, for example of an API key. */
  passEnvironment: z.array(z.string().min(1)).default([]),
  /** MCP servers that the agent uses, by their names. It starts and stops them itself. */
  mcpServers: agentMcpServersSchema.default({}),
  /** Whether a task goes on in the session of the agent's last task, where the agent can load it. False: each task gets a new session. */
  keepSession: z.boolean().default(true),
  /** Timeout from the start of the process to its open session, in milliseconds. */
  startMs: milliseconds.default(60_000),
  /** Timeout for the response after a `session/cancel`, in milliseconds. */
  cancelMs: milliseconds.default(2_000),
  /** Timeout for the exit of the process after the response to a task, in milliseconds; then it is terminated. */
  exitMs: milliseconds.default(500),
  /** Time from SIGTERM to SIGKILL, in milliseconds. */
  termGraceMs: milliseconds.default(500),
});

export type AcpAgentSettings = z.output<typeof acpAgentSchema> & { readonly cwd: string };

export interface AcpAgentContext {
  /** Where the agent stands in the configuration, like `agents.coder.acp`, for error messages. */
  readonly path: string;
  readonly roots: readonly string[];
  readonly limits: AgentLimits;
}

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Does not compile if the contract has other fields than the schema. */
true satisfies IsSame<DeepReadonly<AcpAgent>, DeepReadonly<z.input<typeof acpAgentSchema>>>;

/**
 * Checks the configuration of an agent and fills in the defaults.
 *
 * @throws RangeError which names the field and the limit
 */
export function readAcpAgent(agent: AcpAgent, { path, roots, limits }: AcpAgentContext): AcpAgentSettings {
  const parsed = acpAgentSchema.safeParse(agent);
  if (!parsed.success) {
    throw new RangeError(issueLine(describeIssue(acpAgentSchema, agent, parsed.error.issues), path));
  }
  const { cancelMs, termGraceMs, cwd = roots[0] } = parsed.data;
  if (cwd === undefined)
    throw new RangeError(`${path}.cwd is required, because there are no roots: give an absolute path`);
  const { agentCancelMs, shutdownMs } = limits;
  if (agentCancelMs >= shutdownMs)
    throw new RangeError(`limits.agentCancelMs (${agentCancelMs}) must be less than limits.shutdownMs (${shutdownMs})`);
  if (cancelMs + termGraceMs >= agentCancelMs) {
    const sum = `${path}.cancelMs + ${path}.termGraceMs (${cancelMs} + ${termGraceMs})`;
    throw new RangeError(`${sum} must be less than limits.agentCancelMs (${agentCancelMs})`);
  }
  return { ...parsed.data, cwd };
}
