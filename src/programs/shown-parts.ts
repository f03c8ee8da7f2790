// The parts of a gateway as its banner shows them.
import type { McpState } from '../adapters/mcp/api.ts';
import type { Config } from './settings.ts';

export interface ShownParts {
  /** The settings, with what the tour adds. */
  readonly config: Config;
  /** Whether a script plays the model. */
  readonly isScripted: boolean;
  readonly modelUrl: string;
  /** The address for inspectors, with the key if they need it; null: they may not connect. */
  readonly stately: string | null;
  /** The names of the tools, those of MCP servers apart. */
  readonly tools: readonly string[];
  /** The names of the agents that the model may delegate to. */
  readonly agents: readonly string[];
  /** The states of the MCP servers at this moment. */
  mcp(): readonly McpState[];
}
