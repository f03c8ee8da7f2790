// Connects servers of MCP tools for a test, and calls their tools; they are closed with the test.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { McpServers } from '../../../src/adapters/mcp/api.ts';
import type { McpLimits } from '../../../src/adapters/mcp/mcp-limits.ts';
import type { McpServer } from '../../../src/adapters/mcp/server-config.ts';
import { connectMcpServers, type McpOptions } from '../../../src/adapters/mcp/servers.ts';
import type { Tool, ToolContext, ToolEnd } from '../../../src/core/contracts/tool.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { clientCause, type RecordedCall, recordingContext } from '../../../src/testing/recording-context.ts';
import { compileCacheVariable } from '../../support/compile-cache.ts';
import { living, newToken, programs } from '../processes/processes.ts';

const { clock, ids } = systemSources;
export const termGraceMs = 300;

export interface Connected {
  readonly mcp: McpServers;
  readonly warnings: readonly string[];
  tool(name: string): Tool;
  call(name: string, input?: object, given?: Partial<ToolContext>): Call;
}

interface Call extends RecordedCall {
  readonly end: Promise<ToolEnd>;
  cancel(): void;
}

export async function connected(
  servers: Readonly<Record<string, McpServer>>,
  limits: Partial<McpLimits> = {},
  more: Partial<Pick<McpOptions, 'clock' | 'readyMs' | 'roots' | 'tokenFile'>> = {},
): Promise<Connected> {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const mcp = await connectMcpServers({ servers, clock, ids, termGraceMs, limits, warn, ...more });
  onTestFinished(() => mcp.close());
  const tool = (name: string) => {
    const found = mcp.tools().find((one) => one.name === name);
    if (!found) throw new Error(`there is no ${name} among ${mcp.tools().map((one) => one.name)}`);
    return found;
  };
  return {
    mcp,
    warnings,
    tool,
    call(name, input = {}, given = {}) {
      const watched = recordingContext(given);
      const parsed = tool(name).parse(input);
      if (!parsed.ok) throw new Error(parsed.message);
      const run = tool(name).run(parsed.input, watched.context);
      const end = run.then((it): ToolEnd => (typeof it === 'string' ? { kind: 'completed', output: it } : it));
      return { ...watched, end, cancel: () => watched.stop.abort(clientCause) };
    },
  };
}

export interface Hostile {
  readonly spec: McpServer & { readonly command: string };
  /** Its living processes, with those that it has forked. */
  pids(): number[];
  /** Every message that it has received, over all its starts. */
  received(): readonly { readonly id?: number; readonly method: string; readonly params?: Record<string, unknown> }[];
}

/** test/children/mcp-server.ts, whose header explains its manners. */
export function hostile(...manners: readonly string[]): Hostile {
  const token = newToken();
  const folder = mkdtempSync(join(tmpdir(), 'belay-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'heard');
  return {
    spec: {
      command: process.execPath,
      args: [join(programs, 'mcp-server.ts'), token, `log=${log}`, ...manners],
      passEnvironment: [compileCacheVariable],
    },
    pids: () => living(token),
    received: () =>
      readFileSync(log, { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  };
}

export interface Faulty {
  readonly spec: McpServer & { readonly command: string };
  pids(): number[];
}

/** test/children/mcp-faulty-server.ts, made with the official SDK. */
export function faulty(...manners: readonly string[]): Faulty {
  const token = newToken();
  const args = [join(programs, 'mcp-faulty-server.ts'), token, ...manners];
  const spec = { command: process.execPath, args, passEnvironment: [compileCacheVariable] };
  return { spec, pids: () => living(token) };
}

/** A published server of the devDependencies. */
export const published = (name: string, ...args: readonly string[]): McpServer & { readonly command: string } => ({
  command: process.execPath,
  args: [join(import.meta.dirname, `../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`), ...args],
  passEnvironment: [compileCacheVariable],
});
