// Registry of a runtime's tools by name, and their declarations to a model.
import type { ToolDeclaration } from '../../../machines/tool-declaration.ts';
import type { Tool } from '../contracts/tool.ts';
import { assertComplete, ToolDeclarationError } from './declaration-rules.ts';

export interface Registry {
  get(name: string): Tool | undefined;
  /** In the order of registration: all, or those of the given names (a name that is not registered is left out). */
  declarations(names?: readonly string[]): readonly ToolDeclaration[];
}

/** Registers tools. Throws `ToolDeclarationError` for one that is not completely declared, and for a second one of the same name. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    assertComplete(tool);
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
