// Reads what a model asked for into calls: whose they are, what they need on their road, and what stands against them.
import type { AgentTask, Call, ModelInput, Need } from '../../machines/contracts.ts';
import type { MessageCall } from '../../machines/messages.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { errorText } from '../text/error-text.ts';
import { isMilliseconds } from '../tools/declaration-rules.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { defaultToolTimeoutMs, type Tool } from '../tools/tool.ts';
import { readArguments } from './parse-call.ts';
import type { Plane } from './services.ts';

type Read = Pick<Call, 'kind' | 'needs'> & Partial<Pick<Call, 'problem' | 'agent' | 'timeoutMs'>>;

/** For whom a call is read. */
type Reader = Pick<ModelInput, 'agent' | 'owner' | 'depth'>;

/** `fanOut` calls run; those behind them fail, and of a flood only as many again are kept. */
export function readCalls(made: readonly MessageCall[], input: ModelInput, plane: Plane): readonly Call[] {
  const { fanOut } = plane.limits;
  const counted = countRepeats(input.id, plane);
  return made.slice(0, 2 * fanOut).map((call, place) => {
    const { callId, name } = call;
    const attribution = {
      session: plane.session,
      turn: input.id,
      turnOwner: input.owner,
      name,
      arguments: call.arguments,
    };
    const attributed = attempt(name, plane, () => plane.ownerOfCall?.(attribution));
    const owner = (attributed.ok ? attributed.value : undefined) ?? input.owner;
    const barred =
      place < fanOut ? counted(call) : against('fan_out_limit', `No more than ${fanOut} calls may be made at once.`);
    const read = barred ?? (attributed.ok ? readCall(call, { ...input, owner }, plane) : attributed.problem);
    return {
      id: plane.sources.ids(read.kind === 'sub-agent' ? 'agent' : 'call'),
      callId,
      name,
      arguments: call.arguments,
      owner,
      index: input.index,
      ...read,
    };
  });
}

const against = (
  code: NonNullable<Call['problem']>['code'],
  message: string,
  kind: 'failed' | 'denied' = 'failed',
): Read => ({
  kind: 'tool-call',
  needs: [],
  problem: { kind, code, message },
});

/** Runs code of the embedder's or of a tool's: what it throws is the failure of this call, and of no other. */
function attempt<T>(
  name: string,
  plane: Plane,
  run: () => T,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Read } {
  try {
    return { ok: true, value: run() };
  } catch (error) {
    plane.warn(`${name} could not be called`, error);
    return { ok: false, problem: against('tool_failed', `${name} could not be called: ${errorText(error)}`) };
  }
}

/** Bars a call that has been made too often with the same arguments in this turn, however the earlier ones ended. */
function countRepeats(turn: NodeId, plane: Plane): (call: MessageCall) => Read | null {
  const { repeatsPerTurn } = plane.limits;
  const made = new Map<string, number>();
  const count = ({ name, arguments: text }: Pick<MessageCall, 'name' | 'arguments'>) => {
    const key = `${name} ${canonical(text)}`;
    const times = (made.get(key) ?? 0) + 1;
    made.set(key, times);
    return times;
  };
  for (const fact of plane.history.facts()) if (fact.type === 'tool_call' && fact.turn === turn) count(fact);
  return (call) => {
    if (count(call) <= repeatsPerTurn) return null;
    const message = `${call.name} has been called ${repeatsPerTurn} times with these arguments in this turn. Try something else, or say what is in the way.`;
    return against('loop_limit', message, 'denied');
  };
}

/** What the tool would get: the same in another order, spaced otherwise, or with another hint for the runtime, is the same. */
function canonical(text: string): string {
  const sorted = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  try {
    return JSON.stringify(readArguments(text).value, sorted);
  } catch {
    return text;
  }
}

export function readCall(call: MessageCall, reader: Reader, plane: Plane): Read {
  const read = attempt(call.name, plane, () => readOrThrow(call, reader, plane));
  return read.ok ? read.value : read.problem;
}

function readOrThrow(call: MessageCall, { agent, owner, depth }: Reader, plane: Plane): Read {
  const { tool: find, agents, outside } = plane.offer(agent);
  let read: ReturnType<typeof readArguments>;
  try {
    read = readArguments(call.arguments);
  } catch {
    return against('bad_arguments', 'The arguments are not valid JSON.');
  }
  const asked: Pick<Call, 'timeoutMs'> =
    read.timeoutMs === null ? {} : { timeoutMs: Math.min(read.timeoutMs, plane.limits.toolTimeoutMaxMs) };
  if (call.name === spawnAgent.name && agents.size > 0) {
    const parsed = spawnAgent.parse(read.value);
    if (!parsed.ok) return against('bad_arguments', parsed.message);
    if (depth >= plane.limits.depth)
      return against('depth_limit', `Sub-agents nest ${plane.limits.depth} deep at most.`);
    const { task, agent: name = agents.keys().next().value ?? '', detached = false } = parsed.input;
    if (!agents.has(name)) return against('bad_arguments', `agent: must be one of ${[...agents.keys()].join(', ')}`);
    if (!outside.has(name)) {
      const delegated: AgentTask = { name, task, turn: plane.sources.ids('turn'), detached };
      const isScreened = plane.interceptors.some(({ beforeTool }) => beforeTool);
      return { kind: 'sub-agent', needs: isScreened ? ['screening'] : [], agent: delegated, ...asked };
    }
    // one that works outside is a process, not a turn: a call like any other
  }
  const tool = find(call.name);
  if (!tool) return against('unknown_tool', `There is no tool named ${call.name}.`);
  const parsed = tool.parse(read.value);
  if (!parsed.ok) return against('bad_arguments', parsed.message);
  const { input } = parsed;
  const needs: Need[] = [];
  if (plane.interceptors.some(({ beforeTool }) => beforeTool)) needs.push('screening');
  if (tool.approval?.(input, { session: plane.session, speaker: owner })) needs.push('approving');
  if (tool.access !== 'parallel' || tool.supersedes) needs.push('queued');
  return { kind: 'tool-call', needs, ...asked, ...ownTime(tool, input, asked.timeoutMs, plane) };
}

/** Of a tool that reads its timeout from the arguments: no hint and no configuration makes that longer, but they may make it shorter. */
function ownTime(tool: Tool, input: unknown, hintMs: number | undefined, plane: Plane): Pick<Call, 'timeoutMs'> {
  if (typeof tool.timeoutMs === 'number') return {};
  let own: number;
  try {
    own = tool.timeoutMs(input);
    if (!isMilliseconds(own, 0)) throw new RangeError(`it gave ${own}, which is no time`);
  } catch (error) {
    plane.warn(`the \`timeoutMs\` of ${tool.name} threw`, error);
    own = defaultToolTimeoutMs;
  }
  const bounds = [own, hintMs ?? 0, plane.timeoutOf(tool)].filter((ms) => ms !== 0); // 0 is none
  return { timeoutMs: bounds.length === 0 ? 0 : Math.min(...bounds) };
}
