// The configuration of an MCP server.
import { z } from 'zod';
import type { McpLimits } from './mcp-limits.ts';

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

const everyServer = {
  /** It stops every call that is cancelled: no response is waited for, and it is not closed. */
  trusted: z.boolean().optional(),
  /** The timeout of each of its tools, in milliseconds; 0: none. Left out: the default timeout of a tool. */
  timeoutMs: z.int().min(0).max(2_147_483_647).optional(),
  /** Whether a call of a tool that says it may destroy something needs the yes of its speaker: by default it does. */
  destructive: z.enum(['ask', 'allow']).optional(),
  /** Absolute folders that the server receives as its roots. Left out: the folders that tools may touch. */
  roots: z.array(text.regex(/^\//, 'must be an absolute path')).optional(),
};

const stdioServer = z.strictObject({
  /** Found by PATH if it has no slash. The process has all rights of the user that runs Belay. */
  command: text.min(1),
  args: z.array(text).optional(),
  /** Environment variables of the process, besides the usual few. */
  env: z.record(z.string().regex(/^[^=\0]+$/), text).optional(),
  /** Names of environment variables that are passed on from this process: a key, say. */
  passEnvironment: z.array(z.string().min(1)).optional(),
  /** The working folder of its process. Left out: that of this process. */
  cwd: text.min(1).optional(),
  ...everyServer,
});
export type StdioServer = z.output<typeof stdioServer>;

const documentRule = 'must be an https URL with a path';

const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  /** Headers of every request: a token, say. */
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/))
    .optional(),
  /** `sse`: the server speaks the older HTTP with server-sent events, of the revision 2024-11-05. */
  transport: z.enum(['streamable', 'sse']).optional(),
  /** For `belay mcp login`, where the authorization server does not register programs by itself. */
  oauth: z
    .strictObject({
      /** How Belay is registered there. */
      clientId: z.string().min(1).optional(),
      clientSecret: z.string().min(1).optional(),
      /** The address of a document that describes Belay: where the authorization server reads such documents, it is the id of the client. */
      clientMetadataUrl: z
        .url({ protocol: /^https$/, error: documentRule, abort: true })
        .refine((url) => new URL(url).pathname !== '/', documentRule)
        .optional(),
      /** The scopes to ask for, with spaces. Left out: those that the server names. */
      scope: z.string().min(1).optional(),
      /** The port of the page on 127.0.0.1 that receives the answer. Left out: any that is free. */
      port: z.int().min(1).max(65_535).optional(),
    })
    .optional(),
  ...everyServer,
});
export type HttpServer = z.output<typeof httpServer>;

export type McpServer = StdioServer | HttpServer;

/** Returns the time that a stopped call may take to end, in milliseconds: the grace, then the end of the process or of the session. */
export function stopMsOf(server: McpServer, limits: Pick<McpLimits, 'cancelGraceMs' | 'closeMs'>, termGraceMs: number) {
  if (server.trusted) return 0;
  return limits.cancelGraceMs + ('command' in server ? termGraceMs : limits.closeMs);
}

const either =
  'needs a `command` to start (with args, env, passEnvironment, cwd), or the `url` of a server that runs (with headers, transport, oauth); both take trusted, timeoutMs, destructive and roots';

/** Servers by their names, with which the names of their tools start. */
export const mcpServersSchema = z.record(
  z.string().regex(/^[\w-]{1,24}$/, 'must be 1 to 24 letters, digits, _ and -'),
  z.union([stdioServer, httpServer], { error: either }),
);
