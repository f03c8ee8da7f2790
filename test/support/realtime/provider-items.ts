// The conversation of the strict Realtime server: its items, and what it refuses of them.

/** An item, as far as the server keeps it. */
export interface ServerItem {
  readonly id: string;
  readonly type: string;
  readonly role?: string;
  status: 'completed' | 'incomplete' | 'in_progress';
  text: string;
  /** Milliseconds of sound; null: it has none. */
  audioMs: number | null;
  readonly callId?: string;
  readonly name?: string;
  arguments?: string;
  readonly output?: string;
}

export interface ProviderRefusal {
  readonly code: string;
  readonly message: string;
  readonly param?: string;
}

export type Fields = Readonly<Record<string, unknown>>;
export const itemFieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const providerRefusal = (code: string, message: string, param?: string): ProviderRefusal => ({
  code,
  message,
  ...(param !== undefined && { param }),
});

/** What the content of a message may be, by its role. */
const contentTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['input_text'],
  user: ['input_text', 'input_audio', 'input_image'],
  assistant: ['output_text'],
};
const maxIdChars = 32;

/** Reads an item that the client gives; a providerRefusal, if the API takes no such item. */
export function readItem(value: unknown, calls: ReadonlySet<string>): ServerItem | ProviderRefusal {
  const { id = '', type, role, content, call_id: callId, name, arguments: given, output } = itemFieldsOf(value);
  if (typeof id !== 'string' || id.length > maxIdChars)
    return providerRefusal('string_above_max_length', `Invalid 'item.id': string too long.`, 'item.id');
  const common = { id, status: 'completed' as const, audioMs: null };
  if (type === 'message') {
    const allowed = contentTypes[String(role)];
    if (!allowed) return providerRefusal('invalid_value', `Invalid value: '${role}'.`, 'item.role');
    const parts = Array.isArray(content) ? content.map(itemFieldsOf) : [];
    if (parts.length === 0) return providerRefusal('missing_required_parameter', 'Missing content.', 'item.content');
    for (const part of parts)
      if (!allowed.includes(String(part['type'])) || typeof part['text'] !== 'string')
        return providerRefusal('invalid_value', `Invalid content of ${role}: ${part['type']}.`, 'item.content[0].type');
    return { ...common, type, role: String(role), text: parts.map((part) => String(part['text'])).join('') };
  }
  if (type !== 'function_call' && type !== 'function_call_output')
    return providerRefusal('invalid_value', `Invalid value: '${type}'.`, 'item.type');
  if (typeof callId !== 'string' || callId.length > maxIdChars)
    return providerRefusal('string_above_max_length', `Invalid 'item.call_id': string too long.`, 'item.call_id');
  if (type === 'function_call') {
    if (typeof name !== 'string' || typeof given !== 'string')
      return providerRefusal('missing_required_parameter', 'Missing name or arguments.', 'item.name');
    return { ...common, type, callId, name, arguments: given, text: '' };
  }
  if (typeof output !== 'string')
    return providerRefusal('missing_required_parameter', 'Missing output.', 'item.output');
  if (!calls.has(callId))
    return providerRefusal('item_create_invalid_tool_call_id', `Tool call ID '${callId}' not found in conversation.`);
  return { ...common, type, callId, output, text: output };
}

export const isProviderRefusal = (value: object): value is ProviderRefusal => 'code' in value && 'message' in value;

/** The calls of items. */
export const callsIn = (items: readonly ServerItem[]): ReadonlySet<string> =>
  new Set(items.flatMap(({ type, callId }) => (type === 'function_call' && callId !== undefined ? callId : [])));

/** The calls that have no output, and the outputs that have no call. */
export function unpairedIn(items: readonly ServerItem[]): readonly string[] {
  const calls = callsIn(items);
  const outputs = new Set(items.flatMap(({ type, callId }) => (type === 'function_call_output' ? (callId ?? '') : [])));
  return [...[...calls].filter((id) => !outputs.has(id)), ...[...outputs].filter((id) => !calls.has(id))];
}

export class ServerConversation {
  items: ServerItem[] = [];
  #made = 0;

  /** Returns the name of something that the server makes. */
  name(prefix: string): string {
    return `${prefix}_${(this.#made++).toString().padStart(4, '0')}`;
  }

  find(id: string): ServerItem | undefined {
    return this.items.find((item) => item.id === id);
  }

  /** Inserts an item. `after` undefined: at the end; `root`: at the beginning. */
  insert(item: ServerItem, after: unknown): ProviderRefusal | { readonly previous: string | null } {
    if (this.find(item.id))
      return providerRefusal('item_create_duplicate_item_id', `Item ${item.id} exists.`, 'item.id');
    const at =
      after === undefined
        ? this.items.length
        : after === 'root'
          ? 0
          : this.items.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && after !== 'root' && at === 0)
      return providerRefusal('invalid_value', `Previous item '${after}' does not exist.`, 'previous_item_id');
    this.items.splice(at, 0, item);
    return { previous: this.items[at - 1]?.id ?? null };
  }

  delete(id: unknown): ProviderRefusal | null {
    const found = this.items.findIndex((item) => item.id === id);
    if (found < 0)
      return providerRefusal(
        'item_delete_invalid_item_id',
        `Error deleting item: the item with id '${id}' does not exist.`,
      );
    this.items.splice(found, 1);
    return null;
  }

  truncate({ item_id: id, content_index: index, audio_end_ms: ms }: Fields): ProviderRefusal | null {
    const item = this.find(String(id));
    if (!item) return providerRefusal('item_truncate_invalid_item_id', `Item '${id}' does not exist.`, 'item_id');
    if (item.role !== 'assistant' || item.audioMs === null)
      return providerRefusal('invalid_value', 'Only model output audio messages can be truncated.', 'item_id');
    if (index !== 0) return providerRefusal('invalid_value', 'Invalid content_index.', 'content_index');
    if (typeof ms !== 'number' || !Number.isInteger(ms) || ms < 0)
      return providerRefusal('invalid_type', `Invalid type for 'audio_end_ms': expected an integer.`, 'audio_end_ms');
    if (ms > item.audioMs)
      return providerRefusal('invalid_value', `Audio content of ${item.audioMs}ms is already shorter than ${ms}ms`);
    item.audioMs = ms;
    item.text = ''; // the transcript is deleted
    return null;
  }
}
