// Who answers in a turn: the session's own model and tools, or those of an agent, put together once for the runtime.

import { readAcpAgent } from '../acp/agent-config.ts';
import { outsideAgentsTool } from '../acp/outside-agents-tool.ts';
import { assertWithinLimits } from '../tools/declaration-rules.ts';
import { createRegistry } from '../tools/registry.ts';
import { declareSpawnAgent, spawnAgent } from '../tools/spawn-agent.ts';
import type { Tool } from '../tools/tool.ts';
import { askForTime } from '../transcript/wording.ts';
import type { Offer } from '../workers/services.ts';
import type { Limits } from '../workers/session-limits.ts';
import type { InsideAgentSpec, RuntimeConfig } from './config.ts';

const defaultInstructions = 'You are a helpful assistant. Use the tools where they help.';

type Parts = Pick<RuntimeConfig, 'provider' | 'instructions' | 'model' | 'tools' | 'agents' | 'roots'>;

/** Throws where an agent names a tool or an agent that there is not, one outside is not configured well, or a tool's bounds do not fit. */
export function createOffers(
  { provider, instructions = defaultInstructions, model, tools = [], agents = {}, roots = [] }: Parts,
  limits: Pick<Limits, 'toolCancelMs' | 'toolTimeoutMaxMs' | 'shieldMs'>,
) {
  const { toolCancelMs, toolTimeoutMaxMs } = limits;
  const specs = new Map(Object.entries(agents));
  const outside = new Map(
    Object.entries(agents).flatMap(([name, spec]) =>
      'acp' in spec ? [[name, readAcpAgent(spec.acp, { at: `agents.${name}.acp`, roots, toolCancelMs })] as const] : [],
    ),
  );
  const registry = createRegistry(tools);
  for (const tool of tools) assertWithinLimits(tool, limits);
  const everyTool = tools.map(({ name }) => name);

  /** With what no declaration says. Empty instructions are a wish to have none. */
  const timed = (own: string) =>
    own === ''
      ? ''
      : `${own}\n\nA call that may take long can have a time limit of its own: ${askForTime(toolTimeoutMaxMs)}.`;

  const offer = (part: Omit<InsideAgentSpec, 'description'>, owner: string): Offer => {
    const names = part.tools ?? everyTool;
    const mine = new Map<string, Tool>();
    for (const name of names) {
      const tool = registry.get(name);
      if (!tool) throw new RangeError(`${owner}: there is no tool named ${name}`);
      mine.set(name, tool);
    }
    const helpers = new Map<string, string>();
    for (const name of part.agents ?? []) {
      const spec = specs.get(name);
      if (!spec) throw new RangeError(`${owner}: there is no agent named ${name}`);
      helpers.set(name, spec.description);
    }
    const declarations = [
      ...registry.declarations([...mine.keys()]),
      ...(helpers.size > 0 ? [declareSpawnAgent(helpers)] : []),
    ];
    const helpersOutside = new Map([...outside].filter(([name]) => helpers.has(name)));
    if (helpersOutside.size > 0) mine.set(spawnAgent.name, outsideAgentsTool(helpersOutside, [...helpers.keys()][0]));
    return {
      instructions: declarations.length > 0 ? timed(part.instructions) : part.instructions,
      provider: part.provider ?? provider,
      ...(part.model !== undefined && { model: part.model }),
      declarations,
      tool: (name) => mine.get(name),
      agents: helpers,
      outside: new Set(helpersOutside.keys()),
    };
  };

  const own = offer({ instructions, agents: [...specs.keys()], ...(model !== undefined && { model }) }, 'the session');
  const ofAgents = new Map(
    [...specs].flatMap(([name, spec]) => ('acp' in spec ? [] : [[name, offer(spec, `agents.${name}`)] as const])),
  );
  /** `agent` null: the session's own. An agent that is not configured any more answers as the session. */
  return (agent: string | null): Offer => (agent === null ? own : (ofAgents.get(agent) ?? own));
}
