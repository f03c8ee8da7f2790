// Runs one task of an outside agent by its tool, and finds what is left of it in the process table.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readAcpAgent } from '../../../src/adapters/acp/agent-config.ts';
import { KeptSessions } from '../../../src/adapters/acp/kept-sessions.ts';
import { outsideAgentsTool } from '../../../src/adapters/acp/outside-agents-tool.ts';
import type { AcpAgent } from '../../../src/core/contracts/outside-agents.ts';
import type { Tool, ToolContext, ToolEnd } from '../../../src/core/contracts/tool.ts';
import { clientCause, type RecordedCall, recordingContext } from '../../../src/testing/recording-context.ts';
import { compileCacheVariable } from '../../support/compile-cache.ts';
import { markedProcesses } from '../../support/marked-processes.ts';
import { until } from '../../support/until.ts';
import { programs } from '../processes/processes.ts';

/** A folder that is gone with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-acp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The configuration of a program of test/children as an agent. */
export const program = (name: string, ...args: string[]): AcpAgent => ({
  command: process.execPath,
  args: [join(programs, name), ...args],
  passEnvironment: [compileCacheVariable],
});

export const agentTool = (agent: AcpAgent, sessions = new KeptSessions()): Tool => {
  const limits = { agentCancelMs: 600_000, shutdownMs: 700_000 };
  const settings = readAcpAgent(agent, { path: 'coder', roots: [tmpdir()], limits });
  const agents = new Map([['coder', settings]]);
  return outsideAgentsTool({ agents, sessions, stopBudgetMs: limits.agentCancelMs, defaultName: 'coder' });
};

export interface Working extends RecordedCall {
  readonly end: Promise<ToolEnd>;
  /** Its live output so far. */
  shown(): string;
  /** Resolves when its live output contains that. */
  untilShown(what: string): Promise<unknown>;
  /** Its living processes. */
  processesLeft(): readonly number[];
  cancel(): void;
}

/** Starts a task; it is stopped with the test. */
export function startTask(
  agent: AcpAgent,
  task: string,
  given: Partial<ToolContext> = {},
  sessions = new KeptSessions(),
): Working {
  const tool = agentTool(agent, sessions);
  const watched = recordingContext(given);
  const parsed = tool.parse({ task });
  if (!parsed.ok) throw new Error(parsed.message);
  const end = tool.run(parsed.input, watched.context) as Promise<ToolEnd>;
  const shown = () => watched.outputs.join('');
  onTestFinished(async () => {
    watched.stop.abort(clientCause);
    watched.kill.abort();
    await end.catch(() => {});
  });
  return {
    ...watched,
    end,
    shown,
    untilShown: (what) => until(() => shown().includes(what), { what: `"${what}" in its output` }),
    processesLeft: () => markedProcesses([watched.context.call]),
    cancel: () => watched.stop.abort(clientCause),
  };
}

/** The agent that is built on the SDK, and its diary. `abilities`: those of test/children/acp-agent.ts. */
export function wellBehaved(abilities = '') {
  const diary = join(newFolder(), 'diary');
  const noted = () => {
    try {
      return readFileSync(diary, 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  };
  return { agent: program('acp-agent.ts', diary, abilities), noted };
}
