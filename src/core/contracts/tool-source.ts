// Contract of a source of tools that come and go while the runtime runs: MCP servers are one.
import type { OfferSource } from './offers.ts';
import type { Tool } from './tool.ts';

export interface ToolSource extends Partial<OfferSource> {
  /** Its tools at this moment: the same array until they change. */
  tools(): readonly Tool[];
  /** Whether a tool of this name may come from it, now or later. */
  mayHave(name: string): boolean;
  /** What it says to a model about its tools at this moment: the same array until that changes. */
  instructions(): readonly ToolInstructions[];
  /** Called before each request to a model: resolves when the tools are there, or when the source does not wait for them any longer. Never rejects. */
  ready?(): Promise<void>;
  /** Why a tool of such a name is not there, as the rest of the sentence "There is no tool named x: "; null: it is not known. */
  absenceOf?(name: string): string | null;
  /** Called when a session that has the source of its own (`SessionSpec.toolSources`) falls asleep or ends. Resolves when nothing of the source is left. */
  endSession?(): Promise<void>;
}

/** A text for models that have at least one of these tools. */
export interface ToolInstructions {
  readonly tools: readonly string[];
  readonly text: string;
}
