// A server of tools as it stands in the configuration.
import { z } from 'zod';
import type { McpLimits } from './mcp-limits.ts';

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

const everyServer = {
  /** It stops what it is told to cancel: it is believed without an answer, and not closed. */
  trusted: z.boolean().optional(),
  /** Of each of its tools, in milliseconds; 0: none. The default timeout of a tool where it is left out. */
  timeoutMs: z.int().min(0).max(2_147_483_647).optional(),
};

const stdioServer = z.strictObject({
  /** Looked for along PATH where it has no slash. A process of the host's user, with all that it may do. */
  command: text.min(1),
  args: z.array(text).optional(),
  /** Variables that it sees beside the usual few. */
  env: z.record(z.string().regex(/^[^=\0]+$/), text).optional(),
  /** Variables of the host's environment that it sees too, by name: a key, for one. */
  passEnvironment: z.array(z.string().min(1)).optional(),
  /** The folder that the host runs in, where it is left out. */
  cwd: text.min(1).optional(),
  ...everyServer,
});
export type StdioServer = z.output<typeof stdioServer>;

const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  /** Sent with every request: a token, say. */
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/))
    .optional(),
  ...everyServer,
});
export type HttpServer = z.output<typeof httpServer>;

export type McpServer = StdioServer | HttpServer;

/** How long a call that is stopped may take to end there: the grace, and then the end of the process or of the session. */
export function stopMsOf(server: McpServer, bounds: Pick<McpLimits, 'cancelGraceMs' | 'closeMs'>, termGraceMs: number) {
  if (server.trusted) return 0;
  return bounds.cancelGraceMs + ('command' in server ? termGraceMs : bounds.closeMs);
}

const either =
  'needs a `command` to start (with args, env, passEnvironment, cwd), or the `url` of a server that runs (with headers); both take trusted and timeoutMs';

/** By their names, which the names of their tools begin with. */
export const mcpServersSchema = z.record(
  z.string().regex(/^[\w-]{1,24}$/, 'must be 1 to 24 letters, digits, _ and -'),
  z.union([stdioServer, httpServer], { error: either }),
);
