// The tools that a model may call at this moment: those of the configuration, then those of its sources.

import type { OfferContent, OfferRequest, ServerOffers } from '../contracts/offers.ts';
import type { Tool } from '../contracts/tool.ts';
import type { ToolInstructions, ToolSource } from '../contracts/tool-source.ts';
import { errorText } from '../text/error-text.ts';
import { assertComplete, assertStopLimits, type RuntimeLimits } from '../tools/declaration-rules.ts';
import { createRegistry, type Registry } from '../tools/registry.ts';

export interface AvailableToolsOptions {
  readonly tools: readonly Tool[];
  readonly sources: readonly ToolSource[];
  readonly limits: RuntimeLimits;
  warn(message: string): void;
}

export interface ToolSet {
  readonly registry: Registry;
  readonly names: readonly string[];
  readonly instructions: readonly ToolInstructions[];
}

export class AvailableTools {
  readonly #options: AvailableToolsOptions;
  /** What the sources had when `#current` was made. */
  #seen: readonly unknown[] = [];
  #current: ToolSet;
  readonly #warned = new Set<string>();

  /** Throws `ToolDeclarationError` for a tool of the configuration that is not declared well, or is there twice. */
  constructor(options: AvailableToolsOptions) {
    this.#options = options;
    for (const tool of options.tools) assertStopLimits(tool, options.limits);
    this.#current = toolSetOf(options.tools, []);
  }

  /** The same object until a source has other tools. */
  get current(): ToolSet {
    const { sources } = this.#options;
    if (sources.length === 0) return this.#current;
    const seen = sources.flatMap((source) => [source.tools(), source.instructions()]);
    if (seen.length === this.#seen.length && seen.every((one, at) => one === this.#seen[at])) return this.#current;
    this.#seen = seen;
    this.#current = this.#collect();
    return this.#current;
  }

  /** Whether a tool of this name is there, or may come. */
  mayHave(name: string): boolean {
    const { tools, sources } = this.#options;
    return tools.some((tool) => tool.name === name) || sources.some((source) => source.mayHave(name));
  }

  /** Resolves when the sources do not wait for their tools any longer; null: none of them waits. */
  waitForSources(): Promise<void> | null {
    const waiting = this.#options.sources.flatMap((source) => (source.ready ? [source.ready()] : []));
    return waiting.length === 0 ? null : Promise.all(waiting).then(() => {});
  }

  /** Why there is no tool of such a name; null: it is not known. */
  absenceOf(name: string): string | null {
    for (const source of this.#options.sources) {
      const absence = source.absenceOf?.(name) ?? null;
      if (absence !== null) return absence;
    }
    return null;
  }

  /** What the sources offer people. */
  async listOffers(): Promise<readonly ServerOffers[]> {
    const lists = await Promise.all(this.#options.sources.map(async (source) => (await source.listOffers?.()) ?? []));
    return lists.flat();
  }

  /** Resolves with the content of the first source that has the server; null: none has. */
  async readOffer(request: OfferRequest): Promise<OfferContent | null> {
    for (const source of this.#options.sources) {
      const content = (await source.readOffer?.(request)) ?? null;
      if (content !== null) return content;
    }
    return null;
  }

  #collect(): ToolSet {
    const { tools, sources } = this.#options;
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    for (const tool of sources.flatMap((source) => source.tools())) {
      if (this.#isUsable(tool, byName)) byName.set(tool.name, tool);
    }
    return toolSetOf(
      [...byName.values()],
      sources.flatMap((source) => source.instructions()),
    );
  }

  /** A tool of a source that cannot be used is reported once; it harms no other. */
  #isUsable(tool: Tool, byName: ReadonlyMap<string, Tool>): boolean {
    const { limits, warn } = this.#options;
    try {
      assertComplete(tool);
      assertStopLimits(tool, limits);
      if (byName.has(tool.name)) throw new Error(`${tool.name} is there twice: only the first is used`);
      return true;
    } catch (error) {
      const message = errorText(error);
      if (!this.#warned.has(message)) warn(message);
      this.#warned.add(message);
      return false;
    }
  }
}

const toolSetOf = (tools: readonly Tool[], instructions: readonly ToolInstructions[]): ToolSet => ({
  registry: createRegistry(tools),
  names: tools.map(({ name }) => name),
  instructions,
});
