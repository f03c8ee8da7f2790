// The tools of a runtime by name, and how they are declared to a model.
import { assertWhole, ToolDeclarationError } from './declaration.ts';
import type { JsonSchema, Tool } from './tool.ts';

/** How a model endpoint is told of a tool. */
export interface Declaration {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface Registry {
  get(name: string): Tool | undefined;
  /** In the order of registration: all, or those of the given names (a name that is not registered is left out). */
  declarations(names?: readonly string[]): readonly Declaration[];
}

/** Throws `ToolDeclarationError` for a tool that is not wholly declared, or could not be called, and for a second one of the same name. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    assertWhole(tool);
    if (byName.has(tool.name))
      throw new ToolDeclarationError('is registered already.', { tool: tool.name, field: 'name' });
    byName.set(tool.name, tool);
  }
  return {
    get: (name) => byName.get(name),
    declarations: (names) =>
      [...byName.values()]
        .filter((tool) => names?.includes(tool.name) ?? true)
        .map(({ name, description, input }) => ({ name, description, parameters: input })),
  };
}
