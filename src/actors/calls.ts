// Reads what a model asked for into calls: whose they are, what they need on their road, and what stands against them.
import type { AgentTask, Call, ModelInput } from '../../machines/contracts.ts';
import type { MessageCall } from '../model/provider.ts';
import { spawnAgent } from '../tools/builtin/spawn-agent.ts';
import type { Plane } from './plane.ts';

type Read = Pick<Call, 'kind' | 'needs'> & Partial<Pick<Call, 'problem' | 'agent'>>;

/** `fanOut` calls run; those behind them fail, and of a flood only as many again are kept. */
export function readCalls(made: readonly MessageCall[], input: ModelInput, plane: Plane): readonly Call[] {
  const { fanOut } = plane.limits;
  return made.slice(0, 2 * fanOut).map((call, place) => {
    const { callId, name } = call;
    const read = place < fanOut ? readCall(call, input, plane) : tooMany(fanOut);
    const attribution = {
      session: plane.session,
      turn: input.id,
      turnOwner: input.owner,
      name,
      arguments: call.arguments,
    };
    return {
      id: plane.sources.ids(read.kind === 'sub-agent' ? 'agent' : 'call'),
      callId,
      name,
      arguments: call.arguments,
      owner: plane.ownerOfCall?.(attribution) ?? input.owner,
      index: input.index,
      ...read,
    };
  });
}

const against = (code: NonNullable<Call['problem']>['code'], message: string): Read => ({
  kind: 'tool-call',
  needs: [],
  problem: { code, message },
});

const tooMany = (limit: number) => against('fan_out_limit', `No more than ${limit} calls may be made at once.`);

function readCall(call: MessageCall, { agent, depth }: ModelInput, plane: Plane): Read {
  const { tool: find, agents } = plane.offer(agent);
  let value: unknown;
  try {
    value = JSON.parse(call.arguments === '' ? '{}' : call.arguments);
  } catch {
    return against('bad_arguments', 'The arguments are not valid JSON.');
  }
  if (call.name === spawnAgent.name && agents.size > 0) {
    const parsed = spawnAgent.parse(value);
    if (!parsed.ok) return against('bad_arguments', parsed.message);
    if (depth >= plane.limits.depth)
      return against('depth_limit', `Sub-agents nest ${plane.limits.depth} deep at most.`);
    const { task, agent: name = agents.keys().next().value ?? '', detached = false } = parsed.input;
    if (!agents.has(name)) return against('bad_arguments', `agent: must be one of ${[...agents.keys()].join(', ')}`);
    const delegated: AgentTask = { name, task, turn: plane.sources.ids('turn'), detached };
    return { kind: 'sub-agent', needs: [], agent: delegated };
  }
  const tool = find(call.name);
  if (!tool) return against('unknown_tool', `There is no tool named ${call.name}.`);
  const parsed = tool.parse(value);
  if (!parsed.ok) return against('bad_arguments', parsed.message);
  return { kind: 'tool-call', needs: tool.access === 'parallel' ? [] : ['queued'] };
}
