// Runs one task of an outside agent in a process of its own. Stops it by the protocol first, then by TERM and KILL.
//
// 1. The call ends when no process of the agent is left. If a process cannot be killed, the stop budget makes the call abandoned.
// 2. The steps of a stop: `cancelled` to open permission requests, `session/cancel`, a wait, TERM, the grace, KILL. `kill` skips to KILL.
// 3. A task that completes before the agent handles the stop counts as completed.
// 4. The agent's session is kept for its next task when no process is left that could use it, unless the task has failed.
import { addAbortListener } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { maxOutputChars, type ToolContext, type ToolEnd } from '../../core/contracts/tool.ts';
import type { Disarm } from '../../core/sources/sources.ts';
import type { BoundedResult } from '../../core/text/bound-text.ts';
import { passedEnvironment } from '../processes/environment.ts';
import { collectOutput, maxLiveChars } from '../processes/process-output.ts';
import { type CommandEnd, startProcess } from '../processes/started-command.ts';
import type { AcpAgentSettings } from './agent-config.ts';
import { AgentConversation, type OpenedSession, type TaskEnd } from './agent-conversation.ts';
import { mcpServersFor } from './agent-mcp-servers.ts';
import { openAgentStream, type UpdateOrigin } from './agent-pipes.ts';
import { AgentReport } from './agent-report.ts';
import { parseUpdate } from './agent-updates.ts';
import { AgentUsage } from './agent-usage.ts';
import type { KeptSessions } from './kept-sessions.ts';
import { PermissionRequests } from './permissions.ts';

export interface OutsideTaskOptions {
  /** The agent's name. */
  readonly name: string;
  readonly agent: AcpAgentSettings;
  readonly text: string;
  /** The sessions that the agents keep from task to task. */
  readonly sessions: KeptSessions;
}

/** Characters of the agent's stderr that are added to the output of a failed task. */
const maxStderrChars = 2_000;
/** Characters of the output that are reserved for the stderr after the report. */
const notesChars = maxStderrChars + 100;

/** The agent got no task. */
const stopped: ToolEnd = { kind: 'stopped', output: '', effect: 'none' };

/** Starts the agent and gives it the task. Resolves when no process of the agent is left. */
export async function runOutsideTask(options: OutsideTaskOptions, context: ToolContext): Promise<ToolEnd> {
  const { agent } = options;
  const { signal, kill, clock } = context;
  if (signal.aborted) return stopped;
  const terminating = new AbortController();
  const started = await startProcess(
    {
      file: agent.command,
      args: agent.args,
      cwd: agent.cwd,
      environment: { ...passedEnvironment(agent.passEnvironment), ...agent.env },
      marker: context.call,
      stdin: 'pipe',
    },
    {
      signal: terminating.signal,
      kill,
      clock,
      termGraceMs: agent.termGraceMs,
      onStarted: (process) => context.recordProcess(process),
    },
  );
  if (started.kind === 'failed')
    return { kind: 'failed', code: 'agent_unavailable', message: started.message, output: '', effect: 'none' };
  if (started.kind === 'stopped' || !started.stdin) return stopped;
  return await new OutsideTask(options, { ...started, stdin: started.stdin }, terminating, context).run();
}

interface AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<CommandEnd>;
}

class OutsideTask {
  readonly #options: OutsideTaskOptions;
  readonly #process: AgentProcess;
  readonly #terminating: AbortController;
  readonly #context: ToolContext;
  readonly #report: AgentReport;
  /** The agent's id of the session of its last task; null: there is none. */
  readonly #kept: string | null;
  readonly #usage = new AgentUsage();
  readonly #permissions: PermissionRequests;
  readonly #conversation: AgentConversation;
  #disarm: Disarm = () => {};
  /** The session in which the task was handed over; null: it was not. */
  #session: OpenedSession | null = null;

  constructor(options: OutsideTaskOptions, process: AgentProcess, terminating: AbortController, context: ToolContext) {
    this.#options = options;
    this.#process = process;
    this.#terminating = terminating;
    this.#context = context;
    const report = new AgentReport({
      maxChars: maxOutputChars - notesChars,
      maxLiveChars,
      show: (text) => context.output(text),
    });
    this.#report = report;
    this.#permissions = new PermissionRequests({
      name: options.name,
      requestApproval: (approval) => context.requestApproval(approval),
      titleOf: (toolCallId) => report.titleOf(toolCallId),
    });
    const { name, text, agent, sessions } = options;
    const { cwd, startMs } = agent;
    this.#kept = agent.keepSession ? sessions.takeSession(context.session, name) : null;
    this.#conversation = new AgentConversation({
      stream: openAgentStream(process.stdin, process.stdout, (params, origin) => this.#addUpdate(params, origin)),
      permissions: this.#permissions,
      task: { text, cwd, startMs, mcpServers: mcpServersFor(agent.mcpServers), keptSession: this.#kept },
      listener: {
        handingOver: (session) => {
          this.#session = session;
          this.#usage.startTask();
        },
        responded: (usage) => this.#usage.setTokens(usage),
      },
      clock: context.clock,
    });
  }

  async run(): Promise<ToolEnd> {
    const { signal, kill } = this.#context;
    const { stdin, stderr, ended } = this.#process;
    const printed = collectOutput([stderr], { maxChars: maxStderrChars, maxLiveChars: 0 }, () => {});
    using _stop = addAbortListener(signal, () => this.#stop());
    using _kill = addAbortListener(kill, () => this.#terminating.abort());
    try {
      const end = await this.#conversation.ended;
      this.#permissions.close();
      stdin.end();
      if (signal.aborted) this.#terminating.abort();
      else this.#terminateAfter(this.#options.agent.exitMs); // until then it may exit by itself
      const process = await ended;
      await printed.closed;
      this.#keepSession(end);
      const toolEnd = toolEndOf(this.#options.name, end, {
        isStopped: signal.aborted,
        process,
        report: this.#report.bounded(),
        stderr: printed.kept.result().output,
      });
      if (this.#session === null) return { ...toolEnd, effect: 'none' };
      return { ...toolEnd, usage: this.#usage.total({ isWhole: toolEnd.kind === 'completed' }) };
    } finally {
      this.#disarm();
      this.#conversation.close();
    }
  }

  #addUpdate(params: unknown, origin: UpdateOrigin): void {
    const update = parseUpdate(params);
    if (update === null) return;
    this.#usage.addUpdate(update);
    if (origin === 'new') this.#report.addUpdate(update);
  }

  /** No process of the agent is left. */
  #keepSession(end: TaskEnd): void {
    const { agent, name, sessions } = this.#options;
    const { session, signal } = this.#context;
    const wasStopped = signal.aborted || end.kind === 'stopped';
    if (!agent.keepSession || (end.kind === 'failed' && !wasStopped)) return;
    const opened = this.#session;
    if (opened?.canBeLoaded) sessions.keepSession(session, name, opened.id);
    else if (opened === null && this.#kept !== null) sessions.keepSession(session, name, this.#kept);
  }

  #stop(): void {
    this.#permissions.close();
    if (this.#conversation.cancel()) this.#terminateAfter(this.#options.agent.cancelMs);
    else this.#terminating.abort();
  }

  #terminateAfter(ms: number): void {
    this.#disarm();
    this.#disarm = this.#context.clock.after(ms, () => this.#terminating.abort());
  }
}

/** What is known of the agent after its process has ended. */
interface FinishedProcess {
  readonly isStopped: boolean;
  readonly process: CommandEnd;
  readonly report: BoundedResult;
  readonly stderr: string;
}

function toolEndOf(name: string, end: TaskEnd, { isStopped, process, report, stderr }: FinishedProcess): ToolEnd {
  const { output } = report;
  const omitted = report.omitted || undefined;
  if (end.kind === 'completed') return { kind: 'completed', output, omitted };
  if (isStopped || end.kind === 'stopped')
    return { kind: 'stopped', output, omitted, forced: process.forced || undefined };
  const exit = process.exitSignal === null ? `exit code ${process.exitCode}` : process.exitSignal;
  const reason = end.reason ?? (process.kind === 'exited' ? `ended by itself (${exit})` : 'closed its output');
  const parts = [output, stderr && `[stderr]\n${stderr}`].filter((part) => part !== '');
  return { kind: 'failed', code: end.code, message: `${name} ${reason}.`, output: parts.join('\n'), omitted };
}
