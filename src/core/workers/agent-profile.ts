// The profile that a turn runs with: the session's own instructions, model and tools, or those of an agent.
import type { ModelOptions } from '../../../machines/model-options.ts';
import type { ToolDeclaration } from '../../../machines/tool-declaration.ts';
import type { Provider } from '../contracts/provider.ts';
import type { Tool } from '../contracts/tool.ts';

export interface AgentProfile {
  readonly instructions: string;
  readonly provider: Provider;
  /** The endpoint's name of the model; the provider's default if it is left out. */
  readonly model?: string | undefined;
  readonly options: ModelOptions;
  /** The tools that the model may call, as it is shown them. */
  readonly declarations: readonly ToolDeclaration[];
  tool(name: string): Tool | undefined;
  /** Why there is no tool of such a name; null: it is not known. */
  absenceOf(name: string): string | null;
  /** Agents that it may hand a task to: their descriptions by name. */
  readonly agents: ReadonlyMap<string, string>;
  /** Those of them that run as a process of their own, by the tool `spawn_agent`. */
  readonly outside: ReadonlySet<string>;
}

/** Finds a profile by the agent's name; null: the session's own. */
export type FindProfile = (agent: string | null) => AgentProfile;
