// Contract of a source of tools that come and go while the runtime runs: MCP servers are one.
import type { Tool } from './tool.ts';

export interface ToolSource {
  /** Its tools at this moment: the same array until they change. */
  tools(): readonly Tool[];
  /** Whether a tool of this name may come from it, now or later. */
  mayHave(name: string): boolean;
  /** What it says to a model about its tools at this moment: the same array until that changes. */
  instructions(): readonly ToolInstructions[];
}

/** A text for models that have at least one of these tools. */
export interface ToolInstructions {
  readonly tools: readonly string[];
  readonly text: string;
}
