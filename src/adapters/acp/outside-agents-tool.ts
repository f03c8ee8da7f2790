// Runs the calls of `spawn_agent` that name an outside agent: a process of its own. Loads the protocol's SDK with the first task.

import type { Tool, ToolEnd } from '../../core/contracts/tool.ts';
import { raceAbort } from '../../core/sources/abort-signals.ts';
import { errorText } from '../../core/text/error-text.ts';
import { spawnAgent } from '../../core/tools/spawn-agent.ts';
import type { AcpAgentSettings } from './agent-config.ts';
import type { KeptSessions } from './kept-sessions.ts';

interface Input {
  readonly name: string;
  readonly task: string;
}

export interface OutsideAgentsOptions {
  readonly agents: ReadonlyMap<string, AcpAgentSettings>;
  /** The sessions that the agents keep from task to task. */
  readonly sessions: KeptSessions;
  /** The stop budget of a call, in milliseconds. */
  readonly stopBudgetMs: number;
  /** The agent for a call that names none. */
  readonly defaultName?: string | undefined;
}

/** Creates the tool for calls of `spawn_agent` that name one of `agents`. */
export function outsideAgentsTool({ agents, sessions, stopBudgetMs, defaultName = '' }: OutsideAgentsOptions): Tool {
  const tool: Tool<Input> = {
    name: spawnAgent.name,
    description: 'Hands a task to an agent outside.',
    input: spawnAgent.input,
    parse(value) {
      const parsed = spawnAgent.parse(value);
      if (!parsed.ok) return parsed;
      const { task, agent: name = defaultName, detached = false } = parsed.input;
      if (!agents.has(name)) return { ok: false, message: `agent: ${name} is no outside agent` };
      if (detached)
        return { ok: false, message: `detached: ${name} is an outside agent, which cannot run detached: leave it out` };
      return { ok: true, input: { name, task } };
    },
    access: 'parallel',
    cancel: 'killable',
    effect: 'some',
    timeoutMs: 0,
    stopBudgetMs,
    async run({ name, task }, context) {
      const agent = agents.get(name);
      if (!agent) throw new RangeError(`there is no agent named ${name}`);
      const loaded = await raceAbort(import('./outside-task.ts'), context.signal).catch(loadFailure);
      if (loaded === 'aborted') return { kind: 'stopped', output: '', effect: 'none' };
      return 'kind' in loaded ? loaded : await loaded.runOutsideTask({ name, agent, text: task, sessions }, context);
    },
  };
  return tool as Tool; // its input is parsed by its own `parse`
}

function loadFailure(error: unknown): ToolEnd {
  const message = `The client of the Agent Client Protocol could not be loaded: ${errorText(error)}`;
  return { kind: 'failed', code: 'agent_unavailable', message, output: '', effect: 'none' };
}
