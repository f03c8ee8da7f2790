// The tool behind `spawn_agent` for agents that work outside: a process of its own for each task, stopped by the protocol, then by the ladder.
//
// 1. The call has its result when no process of the agent is left: what could not be ended is abandoned, by its node's budget.
// 2. A stop goes: open permissions answered `cancelled`, `session/cancel`, a wait, TERM, grace, KILL, seen dead. `kill` skips to KILL.
// 3. What has completed stays completed, also when the stop was on its way.
import { boundOutput } from '../bound.ts';
import { spawnAgent } from '../builtin/spawn-agent.ts';
import { passedEnvironment } from '../process/environment.ts';
import { collectOutput } from '../process/output.ts';
import { maxLiveChars } from '../process/run.ts';
import { type Ended, startProcess } from '../process/start.ts';
import { maxOutputChars, type Tool, type ToolContext, type ToolEnd } from '../tool.ts';
import type { AcpAgentSettings } from './agent.ts';
import { type Answer, converse } from './conversation.ts';
import { createPermissions } from './permissions.ts';
import { createReport } from './report.ts';
import { createWire } from './wire.ts';

export interface OutsideOptions {
  readonly agents: ReadonlyMap<string, AcpAgentSettings>;
  /** Who is meant by a call that names nobody. */
  readonly first: string;
}

interface Task {
  readonly name: string;
  readonly task: string;
}

/** Of what an agent prints on stderr: shown where it fails. */
const stderrChars = 2_000;

/** Throws for nothing: the agents have been read. Its calls are those of `spawn_agent` that name one of them. */
export function outsideAgentsTool({ agents, first }: OutsideOptions): Tool {
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
  const { startMs, cancelMs, termGraceMs } = agent;
  const cwd = agent.cwd ?? context.roots[0] ?? '/';
  const end = new AbortController();
  if (signal.aborted) return { kind: 'stopped', output: '' };
  const started = await startProcess(
    {
      file: agent.command,
      args: agent.args,
      cwd,
      environment: { ...passedEnvironment(agent.passEnvironment), ...agent.env },
      marker: context.call,
      stdin: 'pipe',
    },
    { signal: end.signal, kill, clock, termGraceMs, onStarted: (process) => context.processStarted(process) },
  );
  if (started.kind === 'failed')
    return { kind: 'failed', code: 'agent_unavailable', message: started.message, output: '', effect: 'none' };
  if (started.kind === 'stopped' || !started.stdin) return { kind: 'stopped', output: '' };

  const { stdin, stdout, stderr, ended } = started;
  const show = (text: string) => context.output(text);
  const report = createReport({ maxChars: maxOutputChars - stderrChars, maxLiveChars, show });
  const printed = collectOutput([stderr], { maxChars: stderrChars, maxLiveChars: 0 }, () => {});
  const permissions = createPermissions({ name, ask: (question) => context.ask(question), titleOf: report.titleOf });
  const conversation = converse(createWire(stdin, stdout, report.hear), permissions, { text: task, cwd, startMs }, clock);

  let disarm = () => {};
  const terminate = () => end.abort();
  const endWithin = (ms: number) => {
    disarm();
    disarm = clock.after(ms, terminate);
  };
  const stop = () => {
    permissions.close();
    endWithin(conversation.cancel() ? cancelMs : 0);
  };
  signal.addEventListener('abort', stop);
  kill.addEventListener('abort', terminate);
  if (signal.aborted) stop();
  if (kill.aborted) terminate();

  // settled by the agent, by its death (its pipes are closed then), or by what it does to the wire
  const answer = await conversation.answer;
  signal.removeEventListener('abort', stop);
  permissions.close();
  conversation.close();
  stdin.end();
  ...
}
