// Runs one task of an outside agent in a process of its own. Stops it by the protocol first, then by TERM and KILL.
//
// 1. The call ends when no process of the agent is left. If a process cannot be killed, the stop budget makes the call abandoned.
// 2. The steps of a stop: `cancelled` to open permission requests, `session/cancel`, a wait, TERM, the grace, KILL. `kill` skips to KILL.
// 3. A task that completes before the agent handles the stop counts as completed.
import { addAbortListener } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { passedEnvironment } from '../process/environment.ts';
import { collectOutput, maxLiveChars } from '../process/process-output.ts';
import { type CommandEnd, startProcess } from '../process/started-command.ts';
import type { Disarm } from '../sources/sources.ts';
import type { BoundedResult } from '../text/bound-text.ts';
import { maxOutputChars, type ToolContext, type ToolEnd } from '../tools/tool.ts';
import type { AcpAgentSettings } from './agent-config.ts';
import { Conversation, type TaskEnd } from './agent-conversation.ts';
import { openAgentStream } from './agent-pipes.ts';
import { AgentReport } from './agent-report.ts';
import { PermissionRequests } from './permissions.ts';

export interface OutsideTaskOptions {
  /** The agent's name. */
  readonly name: string;
  readonly agent: AcpAgentSettings;
  readonly text: string;
}

/** Characters of the agent's stderr that are added to the output of a failed task. */
const maxStderrChars = 2_000;
/** Characters of the output that are reserved for the stderr after the report. */
const notesChars = maxStderrChars + 100;

const stopped: ToolEnd = { kind: 'stopped', output: '' };

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
  readonly #permissions: PermissionRequests;
  readonly #conversation: Conversation;
  #disarm: Disarm = () => {};

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
    const { text, agent } = options;
    const stream = openAgentStream(process.stdin, process.stdout, (params) => report.addUpdate(params));
    const task = { text, cwd: agent.cwd, startMs: agent.startMs };
    this.#conversation = new Conversation(stream, this.#permissions, task, context.clock);
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
      else this.#terminateAfter(this.#options.agent.cancelMs); // until then it may exit by itself
      const process = await ended;
      await printed.closed;
      return toolEnd(this.#options.name, end, {
        isStopped: signal.aborted,
        process,
        report: this.#report.bounded(),
        stderr: printed.kept.result().output,
      });
    } finally {
      this.#disarm();
      this.#conversation.close();
    }
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

function toolEnd(name: string, end: TaskEnd, { isStopped, process, report, stderr }: FinishedProcess): ToolEnd {
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
