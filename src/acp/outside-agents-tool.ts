// The tool behind `spawn_agent` for agents that work outside: a process of its own for each task, stopped by the protocol, then by the ladder.
//
// 1. The call has its result when no process of the agent is left: what could not be ended is abandoned, by its node's budget.
// 2. A stop goes: open permissions answered `cancelled`, `session/cancel`, a wait, TERM, grace, KILL, seen dead. `kill` skips to KILL.
// 3. What has completed stays completed, also when the stop was on its way.

import { passedEnvironment } from '../process/environment.ts';
import { collectOutput } from '../process/process-output.ts';
import { maxLiveChars } from '../process/run-to-end.ts';
import { type CommandEnd, startProcess } from '../process/started-command.ts';
import type { BoundedResult } from '../text/bound-text.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { maxOutputChars, type Tool, type ToolContext, type ToolEnd } from '../tools/tool.ts';
import type { AcpAgentSettings } from './agent-config.ts';
import { createWire } from './agent-pipes.ts';
import { type Answer, converse } from './conversation.ts';
import { createPermissions } from './permissions.ts';
import { createReport } from './report.ts';

interface Task {
  readonly name: string;
  readonly task: string;
}

/** Of what an agent prints on stderr: shown where it fails. */
const stderrChars = 2_000;
/** Left free in the output for what is said behind it. */
const notesChars = stderrChars + 100;

const stopped: ToolEnd = { kind: 'stopped', output: '' };

/** For the calls of `spawn_agent` that name one of these agents; `first` is who is meant where none is named. */
export function outsideAgentsTool(agents: ReadonlyMap<string, AcpAgentSettings>, first = ''): Tool {
  const tool: Tool<Task> = {
    name: spawnAgent.name,
    description: 'Hands a task to an agent outside.',
    input: spawnAgent.input,
    parse(value) {
      const parsed = spawnAgent.parse(value);
      if (!parsed.ok) return parsed;
      const { task, agent: name = first, detached = false } = parsed.input;
      if (!agents.has(name)) return { ok: false, message: `agent: ${name} does not work outside` };
      if (detached) return { ok: false, message: `detached: ${name} works outside, and is always waited for` };
      return { ok: true, input: { name, task } };
    },
    access: 'parallel',
    cancel: 'killable',
    effect: 'some',
    timeoutMs: 0,
    async run({ name, task }, context) {
      const agent = agents.get(name);
      if (!agent) throw new RangeError(`there is no agent named ${name}`);
      return await work(name, agent, task, context);
    },
  };
  return tool as Tool;
}

async function work(name: string, agent: AcpAgentSettings, task: string, context: ToolContext): Promise<ToolEnd> {
  const { signal, kill, clock } = context;
  const { cwd, startMs, cancelMs, termGraceMs } = agent;
  const end = new AbortController();
  const terminate = () => end.abort();
  if (signal.aborted) return stopped;
  const started = await startProcess(
    {
      file: agent.command,
      args: agent.args,
      cwd,
      environment: { ...passedEnvironment(agent.passEnvironment), ...agent.env },
      marker: context.call,
      stdin: 'pipe',
    },
    { signal: end.signal, kill, clock, termGraceMs, onStarted: (process) => context.recordProcess(process) },
  );
  if (started.kind === 'failed')
    return { kind: 'failed', code: 'agent_unavailable', message: started.message, output: '', effect: 'none' };
  if (started.kind === 'stopped' || !started.stdin) return stopped;

  const { stdin, stdout, stderr, ended } = started;
  const report = createReport({
    maxChars: maxOutputChars - notesChars,
    maxLiveChars,
    show: (text) => context.output(text),
  });
  const printed = collectOutput([stderr], { maxChars: stderrChars, maxLiveChars: 0 }, () => {});
  const permissions = createPermissions({
    name,
    askLeave: (leave) => context.requestApproval(leave),
    titleOf: report.titleOf,
  });
  const wire = createWire(stdin, stdout, report.hear);
  const conversation = converse(wire, permissions, { text: task, cwd, startMs }, clock);

  let disarm = () => {};
  const terminateAfter = (ms: number) => {
    disarm();
    disarm = clock.after(ms, terminate);
  };
  const stop = () => {
    permissions.close();
    if (conversation.cancel()) terminateAfter(cancelMs);
    else terminate();
  };
  signal.addEventListener('abort', stop);
  kill.addEventListener('abort', terminate);
  if (signal.aborted) stop(); // between the start and here
  if (kill.aborted) terminate();
  try {
    // by the agent, by its end (its pipes are closed then), or by what it does to the wire
    const answer = await conversation.answer;
    permissions.close();
    stdin.end();
    if (signal.aborted) terminate();
    else terminateAfter(cancelMs); // until then it may leave by itself
    const gone = await ended;
    await printed.closed;
    return told(name, answer, { isStopped: signal.aborted, gone, ...report.end(), printed: printed.end().output });
  } finally {
    disarm();
    conversation.close();
    signal.removeEventListener('abort', stop);
    kill.removeEventListener('abort', terminate);
  }
}

interface Remains extends BoundedResult {
  readonly isStopped: boolean;
  readonly gone: CommandEnd;
  /** On stderr. */
  readonly printed: string;
}

function told(name: string, answer: Answer, { isStopped, gone, output, omitted, printed }: Remains): ToolEnd {
  const cutAway = omitted > 0 ? { omitted } : {};
  if (answer.kind === 'completed') return { kind: 'completed', output, ...cutAway };
  if (isStopped || answer.kind === 'stopped')
    return { kind: 'stopped', output, ...cutAway, ...(gone.forced && { forced: true }) };
  const how = gone.exitSignal === null ? `exit code ${gone.exitCode}` : gone.exitSignal;
  const why = answer.why ?? (gone.kind === 'exited' ? `ended by itself (${how})` : 'closed its output');
  const parts = [output, printed && `[stderr]\n${printed}`].filter((part) => part !== '');
  return { kind: 'failed', code: answer.code, message: `${name} ${why}.`, output: parts.join('\n'), ...cutAway };
}
