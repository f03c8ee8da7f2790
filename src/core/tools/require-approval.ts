// Adds an approval to tools that need none by themselves, because the configuration demands it.
import type { Approval, Tool } from '../contracts/tool.ts';
import type { ToolSource } from '../contracts/tool-source.ts';

/** Matches a tool's name. `pattern`: a name, or the beginning of names followed by `*`. */
export const matchesPattern = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** Returns the tools; those whose names match a pattern need the yes of the call's speaker. A tool's own question comes first. */
export const requireApprovals = (tools: readonly Tool[], patterns: readonly string[]): readonly Tool[] =>
  tools.map((tool) => (patterns.some((pattern) => matchesPattern(pattern, tool.name)) ? requireApproval(tool) : tool));

/** Returns the source with other tools. `change` is called once for each array of tools that the source gives. */
export function changeSource(
  source: ToolSource,
  change: (tools: readonly Tool[]) => readonly Tool[],
): Required<ToolSource> {
  let given: readonly Tool[] = [];
  let changed: readonly Tool[] = [];
  return {
    tools() {
      if (source.tools() !== given) {
        given = source.tools();
        changed = change(given);
      }
      return changed;
    },
    mayHave: (name) => source.mayHave(name),
    instructions: () => source.instructions(),
    ready: async () => source.ready?.(),
    absenceOf: (name) => source.absenceOf?.(name) ?? null,
    listOffers: async () => (await source.listOffers?.()) ?? [],
    readOffer: async (request) => (await source.readOffer?.(request)) ?? null,
    endSession: async () => source.endSession?.(),
  };
}

/** The same for the tools of a source. */
export const requireApprovalsOf = (source: ToolSource, patterns: readonly string[]): ToolSource =>
  changeSource(source, (tools) => requireApprovals(tools, patterns));

const requireApproval = (tool: Tool): Tool => ({
  ...tool,
  approval: (input, context) => tool.approval?.(input, context) ?? runApproval(tool.name, input),
});

/** Returns the question whether a call may run. `remark`: a sentence after it, for a person. */
export const runApproval = (name: string, input: unknown, remark = ''): Approval => ({
  text: `Run ${name} with ${JSON.stringify(input) ?? ''}?${remark === '' ? '' : ` ${remark}`}`,
  remark,
});
