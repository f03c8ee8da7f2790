// Starts the process of a server on stdio: in a group of its own, with a marker, recorded with the process that owns it.
import type { Readable, Writable } from 'node:stream';
import type { StartedProcess } from '../../core/contracts/tool.ts';
import type { Clock, Ids } from '../../core/sources/sources.ts';
import { passedEnvironment } from '../processes/environment.ts';
import { readOrNull, systemTable } from '../processes/process-family.ts';
import { type CommandEnd, startProcess } from '../processes/started-command.ts';
import { McpFailure } from './mcp-failure.ts';
import type { StdioServer } from './server-config.ts';

export interface StdioProcessOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
}

export interface StdioProcess {
  readonly record: StartedProcess;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when no process of the group is left. */
  readonly ended: Promise<CommandEnd>;
  /** TERM, grace, KILL. */
  terminate(): void;
  /** KILL, without what is left of the grace. */
  kill(): void;
}

/** Rejects with an `McpFailure` if nothing was started. */
export async function startStdioProcess(server: StdioServer, options: StdioProcessOptions): Promise<StdioProcess> {
  const { clock, ids, termGraceMs } = options;
  const terminating = new AbortController();
  const killing = new AbortController();
  const marker = ids('mcp');
  const host = readOwnProcess();
  const record = Promise.withResolvers<StartedProcess>();
  const started = await startProcess(
    {
      file: server.command,
      args: server.args ?? [],
      cwd: server.cwd ?? process.cwd(),
      environment: { ...passedEnvironment(server.passEnvironment), ...server.env },
      marker,
      belongsTo: 'host',
      stdin: 'pipe',
    },
    {
      signal: terminating.signal,
      kill: killing.signal,
      clock,
      termGraceMs,
      onStarted: (group) => record.resolve({ ...group, shared: { marker, host } }),
    },
  );
  if (started.kind === 'stopped') throw new McpFailure('was not started', { code: 'mcp_unavailable' });
  if (started.kind === 'failed') throw new McpFailure(`did not start: ${started.message}`, { code: 'mcp_unavailable' });
  const { stdin, stdout, stderr, ended } = started;
  return {
    record: await record.promise,
    stdin,
    stdout,
    stderr,
    ended,
    terminate: () => terminating.abort(),
    kill: () => killing.abort(),
  };
}

/** The owner of the server's process. A server without a known owner must not run: another host would terminate it as a leftover. */
function readOwnProcess() {
  const own = readOrNull(process.pid, systemTable);
  if (!own) throw new McpFailure('did not start: the process table cannot be read', { code: 'mcp_unavailable' });
  return { pid: own.pid, startTime: own.startTime };
}
