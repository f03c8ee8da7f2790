// A yes that calls need although their tool asks for none: because whoever runs the host says so.
import { truncate } from '../text/bound-text.ts';
import type { Tool } from './tool.ts';

/** Of the arguments, as they are asked about. */
const maxShownChars = 2_000;

/** `pattern`: a tool's name, or the beginning of names with a `*` behind it. */
export const matchesPattern = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** The tools, those whose names match asking the call's speaker before each call. What a tool asks by itself is asked instead. */
export const requireApprovals = (tools: readonly Tool[], patterns: readonly string[]): readonly Tool[] =>
  tools.map((tool) => (patterns.some((pattern) => matchesPattern(pattern, tool.name)) ? requireApproval(tool) : tool));

const requireApproval = (tool: Tool): Tool => ({
  ...tool,
  approval: (input, context) => tool.approval?.(input, context) ?? { text: `Run ${tool.name} with ${shown(input)}?` },
});

const shown = (input: unknown) => truncate(JSON.stringify(input) ?? '', maxShownChars);
