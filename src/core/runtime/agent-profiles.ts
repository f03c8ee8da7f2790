// The profiles of a runtime: the session's own and one for each agent, put together from the configuration, with the tools of the moment.
import type { ModelOptions } from '../../../machines/model-options.ts';
import type { AcpAgent, CheckedAgents } from '../contracts/outside-agents.ts';
import { narrowOptions } from '../contracts/provider.ts';
import type { Tool } from '../contracts/tool.ts';
import { declareSpawnAgent, spawnAgent } from '../tools/spawn-agent.ts';
import { timeoutArgument } from '../transcript/tool-result-text.ts';
import type { AgentProfile, FindProfile } from '../workers/agent-profile.ts';
import type { Limits } from '../workers/session-limits.ts';
import type { AvailableTools, ToolSet } from './available-tools.ts';
import type { AgentSpec, InsideAgentSpec, RuntimeConfig } from './config.ts';

/** The system message of a session for which none is configured. */
export const defaultInstructions = 'You are a helpful assistant. Use the tools where they help.';

type ProfileConfig = Pick<
  RuntimeConfig,
  'provider' | 'instructions' | 'model' | 'modelOptions' | 'agents' | 'roots' | 'outsideAgents'
>;
type ProfileLimits = Pick<Limits, 'agentCancelMs' | 'shutdownMs' | 'toolTimeoutMaxMs'>;
type ProfileSpec = Omit<InsideAgentSpec, 'description'>;

/** Throws a RangeError if an agent names a tool that neither exists nor may come. */
export function assertAgentTools({ agents = {} }: Pick<RuntimeConfig, 'agents'>, tools: AvailableTools): void {
  for (const [name, spec] of Object.entries(agents)) {
    const named = 'acp' in spec ? [] : (spec.tools ?? []);
    const unknown = named.find((tool) => !tools.mayHave(tool));
    if (unknown !== undefined) throw new RangeError(`agents.${name}: there is no tool named ${unknown}`);
  }
}

/**
 * Puts the profiles together. An agent that is not configured any more gets the session's own. A tool that an agent names and that is not there is left out.
 *
 * @throws RangeError if an agent names an agent that does not exist, an outside agent is not configured well, or nothing runs outside agents.
 */
export function createProfiles(config: ProfileConfig, tools: AvailableTools, limits: ProfileLimits): FindProfile {
  const { instructions = defaultInstructions, model, agents = {} } = config;
  const parts: ProfileParts = {
    provider: config.provider,
    tools,
    specs: new Map(Object.entries(agents)),
    outside: checkOutsideAgents(config, limits),
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
  readonly tools: AvailableTools;
  readonly specs: ReadonlyMap<string, AgentSpec>;
  /** The outside agents; null: none is configured. */
  readonly outside: CheckedAgents | null;
  readonly toolTimeoutMaxMs: number;
  readonly options: ModelOptions | undefined;
}

function checkOutsideAgents(
  { agents = {}, roots = [], outsideAgents }: ProfileConfig,
  limits: ProfileLimits,
): CheckedAgents | null {
  const configured = new Map<string, AcpAgent>();
  for (const [name, spec] of Object.entries(agents)) if ('acp' in spec) configured.set(name, spec.acp);
  const [first] = configured.keys();
  if (first === undefined) return null;
  if (outsideAgents) return outsideAgents.checkAgents(configured, { roots, limits });
  throw new RangeError(
    `agents.${first}.acp: this runtime runs no outside agents. Pass \`outsideAgents: new AcpAgents()\` (src/adapters/acp/acp-agents.ts).`,
  );
}

/** What a profile takes from the tools of the moment. */
type ToolView = Pick<AgentProfile, 'instructions' | 'declarations' | 'tool'>;

/** `owner`: where the names stand, for errors. */
function profileFor(spec: ProfileSpec, owner: string, parts: ProfileParts): AgentProfile {
  const agents = descriptionsOf(spec.agents ?? [], owner, parts);
  const names = [...agents.keys()];
  const reachable = names.filter((name) => 'acp' in (parts.specs.get(name) ?? {}));
  const outsideTool = reachable.length > 0 ? (parts.outside?.createTool(reachable, names[0]) ?? null) : null;
  let seen: ToolSet | null = null;
  let view: ToolView;
  const currentView = (): ToolView => {
    const { current } = parts.tools;
    if (current === seen) return view;
    seen = current;
    view = viewOf(current, { spec, agents, outsideTool, toolTimeoutMaxMs: parts.toolTimeoutMaxMs });
    return view;
  };
  return {
    get instructions() {
      return currentView().instructions;
    },
    provider: spec.provider ?? parts.provider,
    model: spec.model,
    options: narrowOptions(parts.options, spec.modelOptions),
    get declarations() {
      return currentView().declarations;
    },
    tool: (name) => currentView().tool(name),
    absenceOf: (name) => parts.tools.absenceOf(name),
    agents,
    outside: new Set(reachable),
  };
}

interface ViewParts {
  readonly spec: ProfileSpec;
  readonly agents: ReadonlyMap<string, string>;
  /** The tool for calls of `spawn_agent` that name an outside agent. Null: it can name none. */
  readonly outsideTool: Tool | null;
  readonly toolTimeoutMaxMs: number;
}

function viewOf({ registry, names, instructions }: ToolSet, parts: ViewParts): ToolView {
  const { spec, agents, outsideTool, toolTimeoutMaxMs } = parts;
  const tools = new Map<string, Tool>();
  for (const name of spec.tools ?? names) {
    const tool = registry.get(name);
    if (tool) tools.set(name, tool);
  }
  const declarations = [
    ...registry.declarations([...tools.keys()]),
    ...(agents.size > 0 ? [declareSpawnAgent(agents)] : []),
  ];
  if (outsideTool) tools.set(spawnAgent.name, outsideTool);
  const hints = instructions.filter((hint) => hint.tools.some((name) => tools.has(name))).map(({ text }) => text);
  if (declarations.length > 0) hints.unshift(timeHint(toolTimeoutMaxMs));
  return {
    instructions: withHints(spec.instructions, hints),
    declarations,
    tool: (name) => tools.get(name),
  };
}

function descriptionsOf(names: readonly string[], owner: string, { specs }: ProfileParts): Map<string, string> {
  const descriptions = new Map<string, string>();
  for (const name of names) {
    const spec = specs.get(name);
    if (!spec) throw new RangeError(`${owner}: there is no agent named ${name}`);
    descriptions.set(name, spec.description + memoryNote(spec));
  }
  return descriptions;
}

/** Tells the model that it need not repeat an earlier task. Whether the agent can load its session is known only when it runs. */
const memoryNote = (spec: AgentSpec): string =>
  'acp' in spec && spec.acp.keepSession !== false ? ' (It may remember its earlier tasks of this session.)' : '';

/** Returns the hint on timeouts, which no declaration of a tool has. */
const timeHint = (toolTimeoutMaxMs: number) =>
  `A call that may take long can have a time limit of its own: ${timeoutArgument(toolTimeoutMaxMs)}.`;

/** Appends hints to instructions. Empty instructions stay empty: they ask for no system message. */
const withHints = (instructions: string, hints: readonly string[]): string =>
  instructions === '' ? '' : [instructions, ...hints].join('\n\n');
