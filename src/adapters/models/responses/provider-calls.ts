// Reads the calls that the endpoint itself runs: searches, connectors, code in its sandbox.
import { fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';
import type { ProviderCall } from '../../../core/contracts/provider.ts';
import { truncate } from '../../../core/text/bound-text.ts';

/** Types of items that only read. */
const readers: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'tool_search_call',
  'mcp_list_tools',
]);
/** Types of items that are calls, and do not end in `_call`. */
const otherCalls: ReadonlySet<string> = new Set(['mcp_list_tools', 'mcp_approval_request']);

const maxOutputChars = 16_384;

/** Returns the call that an item is; null if it is none, or one that Belay runs. `isDone`: the item is whole. */
export function providerCallOf(item: UntrustedFields, isDone: boolean): ProviderCall | null {
  const { type, id } = item;
  if (typeof type !== 'string' || typeof id !== 'string' || type === 'function_call') return null;
  if (!type.endsWith('_call') && !otherCalls.has(type)) return null;
  const state = isDone ? (hasFailed(item) ? 'failed' : 'completed') : 'running';
  const output = isDone ? outputOf(item) : '';
  return {
    callId: id,
    name: nameOf(type, item),
    arguments: argumentsOf(item),
    state,
    effect: readers.has(type) ? 'none' : state === 'completed' ? 'done' : 'unknown',
    ...(output !== '' && { output }),
  };
}

/** A connector that asks for an approval gets none: nobody can be asked while the response streams. */
const hasFailed = ({ type, status, error }: UntrustedFields): boolean =>
  type === 'mcp_approval_request' || status === 'failed' || status === 'incomplete' || (error ?? null) !== null;

function nameOf(type: string, { name, server_label: server }: UntrustedFields): string {
  if (typeof name === 'string') return typeof server === 'string' ? `${server}: ${name}` : name;
  return type.replace(/_call$/, '');
}

function argumentsOf(item: UntrustedFields): string {
  const { arguments: written, action, queries, code } = item;
  if (typeof written === 'string') return written;
  const given = action ?? (queries && { queries }) ?? (code && { code });
  return given === undefined ? '' : JSON.stringify(given);
}

function outputOf({ output, outputs, results, tools, error }: UntrustedFields): string {
  const value = error ?? output ?? outputs ?? results ?? tools ?? '';
  const { message } = fieldsOf(value);
  const text = typeof value === 'string' ? value : typeof message === 'string' ? message : JSON.stringify(value);
  return truncate(text, maxOutputChars);
}
