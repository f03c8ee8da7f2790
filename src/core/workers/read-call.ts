// Reads one call: a task for a sub-agent, or a call of a tool with the phases that it needs.

import type { AgentTask, Call, ModelInput, Need } from '../../../machines/contracts.ts';
import type { MessageCall } from '../../../machines/messages.ts';
import type { Tool } from '../contracts/tool.ts';
import { isMilliseconds } from '../tools/declaration-rules.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import type { AgentProfile } from './agent-profile.ts';
import { againstCall, attempt, type CallReading } from './call-reading.ts';
import { type ParsedArguments, parseCallArguments } from './parse-call.ts';
import type { OpenedCall, RuntimeServices } from './services.ts';

/** The turn that makes the call. */
type Calling = Pick<ModelInput, 'agent' | 'owner' | 'depth'> & { readonly session: string };

/** Reads a call, and never throws: an exception of a tool's own code is a problem of the call. */
export function readCall(call: MessageCall, calling: Calling, runtime: RuntimeServices): CallReading {
  const read = attempt(call.name, runtime, () => readOrThrow(call, calling, runtime));
  return read.ok ? read.value : read.problem;
}

function readOrThrow(call: MessageCall, calling: Calling, runtime: RuntimeServices): CallReading {
  const profile = runtime.profileOf(calling.agent);
  let parsed: ParsedArguments;
  try {
    parsed = parseCallArguments(call.arguments);
  } catch {
    return againstCall('bad_arguments', 'The arguments are not valid JSON.');
  }
  const hint: Pick<Call, 'timeoutMs'> =
    parsed.timeoutMs === null ? {} : { timeoutMs: Math.min(parsed.timeoutMs, runtime.limits.toolTimeoutMaxMs) };
  const delegated =
    call.name === spawnAgent.name && profile.agents.size > 0
      ? readDelegation(parsed.value, profile, calling, runtime)
      : null;
  if (delegated) return delegated.kind === 'sub-agent' ? { ...delegated, ...hint } : delegated;
  return readToolCall(call.name, parsed.value, profile, calling, runtime, hint.timeoutMs);
}

/** Reads a call of `spawn_agent`; null: the agent is a process of its own, and the call one of a tool like any other. */
function readDelegation(
  value: unknown,
  { agents, outside }: AgentProfile,
  { depth }: Calling,
  { limits, sources, extensions }: RuntimeServices,
): CallReading | null {
  const parsed = spawnAgent.parse(value);
  if (!parsed.ok) return againstCall('bad_arguments', parsed.message);
  if (depth >= limits.depth) return againstCall('depth_limit', `Sub-agents nest ${limits.depth} deep at most.`);
  const { task, agent: name = agents.keys().next().value ?? '', detached = false } = parsed.input;
  if (!agents.has(name)) return againstCall('bad_arguments', `agent: must be one of ${[...agents.keys()].join(', ')}`);
  if (outside.has(name)) return null;
  const agent: AgentTask = { name, task, turn: sources.ids('turn'), detached };
  const isScreened = extensions.interceptors.some(({ beforeTool }) => beforeTool);
  return { kind: 'sub-agent', needs: isScreened ? ['screening'] : [], agent };
}

function readToolCall(
  name: string,
  value: unknown,
  profile: AgentProfile,
  { owner, session }: Calling,
  runtime: RuntimeServices,
  hintMs: number | undefined,
): CallReading {
  const tool = profile.tool(name);
  if (!tool) {
    const absence = profile.absenceOf(name);
    return againstCall('unknown_tool', `There is no tool named ${name}${absence === null ? '' : `: ${absence}`}.`);
  }
  const parsed = tool.parse(value);
  if (!parsed.ok) return againstCall('bad_arguments', parsed.message);
  const needs = needsOf(tool, parsed.input, { owner, session }, runtime);
  return { kind: 'tool-call', needs, timeoutMs: timeoutOf(tool, parsed.input, hintMs, runtime) };
}

/** Returns the call of a turn that was opened for one. An exception of an extension is a problem of the call. */
export function readOpenedCall(
  { id, owner, tool, input, timeoutMs }: OpenedCall,
  session: string,
  runtime: RuntimeServices,
): Call {
  const read = attempt(
    tool.name,
    runtime,
    (): CallReading => ({
      kind: 'tool-call',
      needs: needsOf(tool, JSON.parse(input), { owner, session }, runtime),
      timeoutMs,
    }),
  );
  return {
    id,
    callId: '',
    name: tool.name,
    arguments: input,
    owner,
    index: 0,
    ...(read.ok ? read.value : read.problem),
  };
}

/** Returns the phases that a call has to pass before it starts. */
function needsOf(
  tool: Tool,
  input: unknown,
  { owner, session }: Pick<Calling, 'owner' | 'session'>,
  runtime: RuntimeServices,
): readonly Need[] {
  const needs: Need[] = [];
  if (runtime.extensions.interceptors.some(({ beforeTool }) => beforeTool)) needs.push('screening');
  if (tool.approval?.(input, { session, speaker: owner })) needs.push('approving');
  if (tool.access !== 'parallel' || tool.supersedes) needs.push('queued');
  return needs;
}

/** A tool that reads its timeout from the arguments: a hint or a setting may make that shorter. What was set in the session counts, too, where the arguments ask for none. */
function timeoutOf(
  tool: Tool,
  input: unknown,
  hintMs: number | undefined,
  runtime: RuntimeServices,
): number | undefined {
  if (typeof tool.timeoutMs !== 'function') return hintMs;
  let own: number;
  try {
    own = tool.timeoutMs(input, runtime.timeoutSetFor(tool.name));
    if (!isMilliseconds(own, 0)) throw new RangeError(`It returned ${own}, which is no whole number of milliseconds.`);
  } catch (error) {
    runtime.warn(`The \`timeoutMs\` of ${tool.name} threw.`, error);
    own = runtime.limits.toolTimeoutMs;
  }
  const limits = [own, hintMs ?? 0, runtime.timeoutOf(tool)].filter((ms) => ms !== 0); // 0 is none
  return limits.length === 0 ? 0 : Math.min(...limits);
}
