// The public types of connected servers. They stand apart because the SDK's types compile only with those of a browser.
import type { Tool } from '../tools/tool.ts';

export interface McpState {
  readonly name: string;
  /** The number of its tools that can be used. */
  readonly tools: number;
  /** Why it has none; null: it was listed. */
  readonly problem: string | null;
}

export interface McpServers {
  tools(): readonly Tool[];
  /** The state of each server after its start. */
  states(): readonly McpState[];
  /** Resolves when no process and no socket of them is left. Later calls fail. */
  close(): Promise<void>;
}
