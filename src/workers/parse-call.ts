// The tool of a call, and its arguments as they were checked when the call was read.
import type { Call } from '../../machines/contracts.ts';
import type { Tool } from '../tools/tool.ts';
import type { Job } from './worker.ts';

/** Throws where the call cannot be read any more as it was. */
export function toolOf(call: Call, { plane, entry }: Job): { readonly tool: Tool; readonly input: unknown } {
  const turn = entry.parent === null ? undefined : plane.tree.get(entry.parent);
  const tool = plane.offer(turn?.name ?? null).tool(call.name);
  const { value } = readArguments(call.arguments);
  const parsed = tool?.parse(value);
  if (!tool || !parsed?.ok) throw new Error(`${call.name} is not what it was when the call was read`);
  return { tool, input: parsed.input };
}

export interface ReadArguments {
  /** Without what was meant for the runtime. */
  readonly value: unknown;
  /** `_meta.timeout`, in milliseconds: how long the model thinks that the call may take. */
  readonly timeoutMs: number | null;
}

/** Throws a SyntaxError where the text is no JSON. */
export function readArguments(text: string): ReadArguments {
  const value: unknown = JSON.parse(text === '' ? '{}' : text);
  if (typeof value !== 'object' || value === null || !('_meta' in value)) return { value, timeoutMs: null };
  const { _meta: meta, ...rest } = value;
  const timeout = typeof meta === 'object' && meta !== null && 'timeout' in meta ? meta.timeout : null;
  const isTime = typeof timeout === 'number' && Number.isInteger(timeout) && timeout > 0;
  return { value: rest, timeoutMs: isTime ? timeout : null };
}
