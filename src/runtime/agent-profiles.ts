// The profiles of a runtime: the session's own and one for each agent, put together once from the configuration.
import { type ModelOptions, narrowOptions } from '../../machines/model-options.ts';
import { type AcpAgentSettings, readAcpAgent } from '../acp/agent-config.ts';
import { outsideAgentsTool } from '../acp/outside-agents-tool.ts';
import { assertWithinLimits } from '../tools/declaration-rules.ts';
import { createRegistry, type Registry } from '../tools/registry.ts';
import { declareSpawnAgent, spawnAgent } from '../tools/spawn-agent.ts';
import type { Tool } from '../tools/tool.ts';
import { timeoutArgument } from '../transcript/tool-result-text.ts';
import type { AgentProfile, FindProfile } from '../workers/agent-profile.ts';
import type { Limits } from '../workers/session-limits.ts';
import type { AgentSpec, InsideAgentSpec, RuntimeConfig } from './config.ts';

const defaultInstructions = 'You are a helpful assistant. Use the tools where they help.';

type ProfileConfig = Pick<
  RuntimeConfig,
  'provider' | 'instructions' | 'model' | 'modelOptions' | 'tools' | 'agents' | 'roots'
>;
type ProfileLimits = Pick<Limits, 'toolCancelMs' | 'toolTimeoutMaxMs' | 'shieldMs'>;
type ProfileSpec = Omit<InsideAgentSpec, 'description'>;

/**
 * Puts the profiles together. An agent that is not configured any more gets the session's own.
 *
 * @throws RangeError if an agent names a tool or an agent that does not exist, an outside agent is not configured well, or the limits
 * of a tool do not fit those of the runtime.
 */
export function createProfiles(config: ProfileConfig, limits: ProfileLimits): FindProfile {
  const { instructions = defaultInstructions, model, tools = [], agents = {} } = config;
  for (const tool of tools) assertWithinLimits(tool, limits);
  const parts: ProfileParts = {
    provider: config.provider,
    registry: createRegistry(tools),
    everyTool: tools.map(({ name }) => name),
    specs: new Map(Object.entries(agents)),
    outside: outsideAgentsOf(config, limits),
    toolTimeoutMaxMs: limits.toolTimeoutMaxMs,
    options: config.modelOptions,
  };
  const own = profileFor({ instructions, agents: Object.keys(agents), model }, 'the session', parts);
  const ofAgents = new Map(
    Object.entries(agents).flatMap(([name, spec]) =>
      'acp' in spec ? [] : [[name, profileFor(spec, `agents.${name}`, parts)] as const],
    ),
  );
  return (agent) => (agent === null ? own : (ofAgents.get(agent) ?? own));
}

interface ProfileParts {
  readonly provider: RuntimeConfig['provider'];
  readonly registry: Registry;
  readonly everyTool: readonly string[];
  readonly specs: ReadonlyMap<string, AgentSpec>;
  readonly outside: ReadonlyMap<string, AcpAgentSettings>;
  readonly toolTimeoutMaxMs: number;
  readonly options: ModelOptions | undefined;
}

function outsideAgentsOf(
  { agents = {}, roots = [] }: ProfileConfig,
  { toolCancelMs }: ProfileLimits,
): ReadonlyMap<string, AcpAgentSettings> {
  return new Map(
    Object.entries(agents).flatMap(([name, spec]) =>
      'acp' in spec
        ? [[name, readAcpAgent(spec.acp, { path: `agents.${name}.acp`, roots, toolCancelMs })] as const]
        : [],
    ),
  );
}

/** `owner`: where the names stand, for errors. */
function profileFor(spec: ProfileSpec, owner: string, parts: ProfileParts): AgentProfile {
  const { provider, registry, outside, everyTool, toolTimeoutMaxMs } = parts;
  const tools = toolsOf(spec.tools ?? everyTool, owner, registry);
  const agents = descriptionsOf(spec.agents ?? [], owner, parts);
  const declarations = [
    ...registry.declarations([...tools.keys()]),
    ...(agents.size > 0 ? [declareSpawnAgent(agents)] : []),
  ];
  const mine = new Map([...outside].filter(([name]) => agents.has(name)));
  if (mine.size > 0) tools.set(spawnAgent.name, outsideAgentsTool(mine, [...agents.keys()][0]));
  return {
    instructions: declarations.length > 0 ? withTimeHint(spec.instructions, toolTimeoutMaxMs) : spec.instructions,
    provider: spec.provider ?? provider,
    model: spec.model,
    options: narrowOptions(parts.options, spec.modelOptions),
    declarations,
    tool: (name) => tools.get(name),
    agents,
    outside: new Set(mine.keys()),
  };
}

function toolsOf(names: readonly string[], owner: string, registry: Registry): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const name of names) {
    const tool = registry.get(name);
    if (!tool) throw new RangeError(`${owner}: there is no tool named ${name}`);
    tools.set(name, tool);
  }
  return tools;
}

function descriptionsOf(names: readonly string[], owner: string, { specs }: ProfileParts): Map<string, string> {
  const descriptions = new Map<string, string>();
  for (const name of names) {
    const spec = specs.get(name);
    if (!spec) throw new RangeError(`${owner}: there is no agent named ${name}`);
    descriptions.set(name, spec.description);
  }
  return descriptions;
}

/** Adds what no declaration says. Empty instructions stay empty: they ask for no system message. */
function withTimeHint(instructions: string, toolTimeoutMaxMs: number): string {
  if (instructions === '') return '';
  const hint = `A call that may take long can have a time limit of its own: ${timeoutArgument(toolTimeoutMaxMs)}.`;
  return `${instructions}\n\n${hint}`;
}
