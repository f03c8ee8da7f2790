// A server that is a process of ours: messages over its pipes, the ladder at its end. In place of the SDK's transport, whose process
// would have no group, no marker and no end that is seen.
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { passedEnvironment } from '../process/environment.ts';
import { readOrNull, systemTable } from '../process/process-family.ts';
import { type CommandEnd, startProcess } from '../process/started-command.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import { createMessageReader } from '../text/line-reader.ts';
import { createIntake } from './incoming-messages.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { StdioServer } from './server-config.ts';
import { failureOf, McpFailure, type Reason, type Wire, type WireEnd } from './transport.ts';

export interface WireOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: McpLimits;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
}

/** Of what a server says on stderr, its end is kept: it often says why it ended. */
const maxStderrChars = 2_000;
const maxComplaintChars = 300;
/** A call may find one message unread and leave a second: what is more are answers to what the server itself asks without end. */
const maxUnreadFrames = 3;

/** Whose the process is, as long as it lives. Not known, another host would take it for that of a dead one: then it must not run. */
function thisHost() {
  const host = readOrNull(globalThis.process.pid, systemTable);
  if (!host) throw new McpFailure('did not start: the process table cannot be read', { code: 'mcp_unavailable' });
  return { pid: host.pid, startTime: host.startTime };
}

function complaintOf(stderr: string): string {
  const text = stderr.trim();
  return text === '' ? '' : `, saying: ${text.slice(-maxComplaintChars)}`;
}

/** A process that goes closes its pipes first: how it went says more than that. */
function reasonOf({ kind, exitCode, exitSignal }: CommandEnd, reason: Reason | null): Reason {
  if (reason && (reason.kind !== 'lost' || kind === 'stopped')) return reason;
  return { kind: 'lost', message: `ended ${exitSignal === null ? `with exit code ${exitCode}` : `by ${exitSignal}`}` };
}

/** Throws an `McpFailure` where nothing was started. */
export async function openStdio(server: StdioServer, options: WireOptions): Promise<Wire> {
  const { clock, ids, limits, termGraceMs } = options;
  const stop = new AbortController();
  const kill = new AbortController();
  const marker = ids('mcp');
  let process: Wire['process'] = null;
  const started = await startProcess(
    {
      file: server.command,
      args: server.args ?? [],
      cwd: server.cwd ?? globalThis.process.cwd(),
      environment: { ...passedEnvironment(server.passEnvironment), ...server.env },
      marker,
      stdin: 'pipe',
    },
    {
      signal: stop.signal,
      kill: kill.signal,
      clock,
      termGraceMs,
      onStarted: (it) => {
        process = { ...it, shared: { marker, host: thisHost() } };
      },
    },
  );
  if (started.kind === 'stopped') throw new McpFailure('was not started', { code: 'mcp_unavailable' });
  if (started.kind === 'failed') throw new McpFailure(`did not start: ${started.message}`, { code: 'mcp_unavailable' });
  const { stdin, stdout, stderr } = started;

  let reason: Reason | null = null;
  let hurry = () => {};
  let complaint = '';
  const end = (why: Reason, how: 'kindly' | 'now') => {
    if (!reason) {
      reason = why;
      stdin?.end(); // by the protocol this asks it to leave
      hurry = clock.after(limits.closeMs, () => stop.abort());
    }
    if (how === 'now') stop.abort();
  };
  const onViolation = (message: string) => end({ kind: 'protocol', message }, 'now');
  const intake = createIntake({
    clock,
    limits,
    onMessage: (message) => wire.onmessage?.(message),
    onAnswer: (id) => wire.onanswer?.(id),
    onViolation,
  });
  // what it says while it is being ended is not heard, but for an answer: it proves that the work is over
  const onFrame = (line: string) => (reason?.kind === 'protocol' ? undefined : intake.take(line));
  const frames = createMessageReader({ ...limits, onFrame, onViolation });

  const seen = async (): Promise<WireEnd> => {
    const ended = await started.ended;
    hurry();
    const { kind, message } = reasonOf(ended, reason);
    reason = { kind, message: kind === 'closed' ? message : message + complaintOf(complaint) };
    wire.onclose?.();
    return { ...reason, forced: ended.forced };
  };
  const unreadBytes = () => stdin?.writableLength ?? 0;
  const write = (message: JSONRPCMessage) => {
    if (reason) throw failureOf(reason);
    // by what lay there before: a message that is large says nothing of the server
    if (unreadBytes() > maxUnreadFrames * limits.maxFrameBytes) return onViolation('does not read what it is sent');
    intake.sent(message);
    stdin?.write(`${JSON.stringify(message)}\n`);
  };

  const wire: Wire = {
    get newestId() {
      return intake.newestId;
    },
    get reason() {
      return reason;
    },
    get unreadBytes() {
      return unreadBytes();
    },
    process,
    ended: seen(),
    end,
    kill: () => kill.abort(),
    leave: (id) => void intake.forget(Number(id)),
    onanswer: undefined,
    async start() {
      stdout.on('data', (chunk: Buffer) => frames.push(chunk));
      // where it goes on living, nobody can talk to it any more
      stdout.on('end', () => end({ kind: 'lost', message: 'closed its output' }, 'kindly'));
      stdin?.on('error', () => end({ kind: 'lost', message: 'closed its input' }, 'kindly'));
    },
    send: async (message) => write(message),
    close: async () => end({ kind: 'closed', message: 'was closed' }, 'kindly'),
  };
  stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-maxStderrChars);
  });
  return wire;
}
