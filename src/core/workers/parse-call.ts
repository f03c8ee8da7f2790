// Parses a call again when a phase needs it: its tool, and its arguments as they were checked when the call was read.
import type { Call } from '../../../machines/contracts.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Job } from './worker.ts';

/** Throws if the call cannot be parsed any more as it was. */
export function parseCall(
  call: Call,
  { services: { runtime, tree, external }, entry }: Job<'runtime' | 'tree' | 'external'>,
): { readonly tool: Tool; readonly input: unknown } {
  const turn = entry.parent === null ? undefined : tree.get(entry.parent);
  const tool = external.find(call.id)?.tool ?? runtime.profileOf(turn?.name ?? null).tool(call.name);
  const { value } = parseCallArguments(call.arguments);
  const parsed = tool?.parse(value);
  if (!tool || !parsed?.ok) throw new Error(`${call.name} is not what it was when the call was read.`);
  return { tool, input: parsed.input };
}

export interface ParsedArguments {
  /** The arguments without the hints for the runtime. */
  readonly value: unknown;
  /** `_meta.timeout`, in milliseconds: how long the model expects the call to take. */
  readonly timeoutMs: number | null;
}

/** Throws a SyntaxError if the text is no JSON. */
export function parseCallArguments(text: string): ParsedArguments {
  const value: unknown = JSON.parse(text === '' ? '{}' : text);
  if (typeof value !== 'object' || value === null || !('_meta' in value)) return { value, timeoutMs: null };
  const { _meta: meta, ...rest } = value;
  const timeout = typeof meta === 'object' && meta !== null && 'timeout' in meta ? meta.timeout : null;
  const isTimeout = typeof timeout === 'number' && Number.isInteger(timeout) && timeout > 0;
  return { value: rest, timeoutMs: isTimeout ? timeout : null };
}
