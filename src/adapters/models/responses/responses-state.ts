// Output items of the Responses API: kept with a response, and sent back with it in later requests.
//
// 1. Items go back in the order in which they came: the endpoint refuses a reasoning item without the item that followed it.
// 2. An id that is longer than the endpoint takes back is left out: a stateless conversation needs none (can1357/oh-my-pi#284).
// 3. Texts and arguments are in the history already. An item of the state names their place there.
import type { Json, Message, MessageCall } from '../../../../machines/messages.ts';
import { fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
/** An item as it came, or as it goes back. */
export type StateItem = Readonly<Record<string, Json>>;

/** An item of a response that is whole. */
export type OutputItem =
  /** `from` and `to`: where its text is in the text of the response. */
  | { readonly type: 'message'; readonly item: UntrustedFields; readonly from: number; readonly to: number }
  /** `position`: the place of the call among those of the response. */
  | { readonly type: 'function_call'; readonly item: UntrustedFields; readonly position: number }
  | { readonly type: 'other'; readonly item: UntrustedFields };

/** Fields that describe the response and are refused in a request, if they are null for example. */
const withoutStatus = ({ status: _, ...item }: UntrustedFields): UntrustedFields => item;

// an item was parsed from JSON
const jsonOf = (item: UntrustedFields): StateItem => item as StateItem;

const isReasoning = ({ item }: OutputItem): boolean => item['type'] === 'reasoning';

/** Returns what is kept of a response; nothing if it holds texts and calls alone. */
export function stateOfItems(items: readonly OutputItem[]): readonly Json[] {
  const last = items.findLastIndex((output) => !isReasoning(output));
  const kept = items
    .slice(0, last + 1) // reasoning that nothing follows would be refused
    .filter((output) => !isReasoning(output) || typeof output.item['encrypted_content'] === 'string');
  const isNeeded = kept.some(({ type, item }) => type === 'other' || typeof item['phase'] === 'string');
  return isNeeded ? kept.map(keptItem) : [];
}

function keptItem(output: OutputItem): Json {
  switch (output.type) {
    case 'message': {
      const { content: _, ...item } = withoutStatus(output.item);
      return { ...jsonOf(item), from: output.from, to: output.to };
    }
    case 'function_call': {
      const { arguments: _, call_id: __, ...item } = withoutStatus(output.item);
      return { ...jsonOf(item), position: output.position };
    }
    case 'other':
      return jsonOf(isReasoning(output) ? withoutStatus(output.item) : output.item);
  }
}

/**
 * Returns the items of a message as they came, in their order; null if it has no state, or one that does not fit it.
 *
 * @param idOf Returns the id of a call in this request.
 */
export function itemsFromState(
  message: AssistantMessage,
  idOf: (call: MessageCall) => string,
): readonly StateItem[] | null {
  const { state, content, calls } = message;
  if (!state) return null;
  const kept = state.parts.map((part) => jsonOf(fieldsOf(part)));
  const named = kept.filter(({ type }) => type === 'function_call').map(({ position }) => position);
  const isComplete = named.length === calls.length && new Set(named).size === calls.length;
  const end = Math.max(0, ...kept.map(({ to }) => Number(to ?? 0)));
  if (!isComplete || (content !== '' && end !== content.length)) return null;
  const items: StateItem[] = [];
  for (const item of kept) {
    const sent = sentItem(item, message, idOf);
    if (sent === null) return null;
    items.push(...sent.map(withoutLongId));
  }
  return items;
}

const maxIdChars = 64;

function withoutLongId(item: StateItem): StateItem {
  const { id, ...rest } = item;
  return typeof id === 'string' && id.length > maxIdChars ? rest : item;
}

function sentItem(
  item: StateItem,
  message: AssistantMessage,
  idOf: (call: MessageCall) => string,
): readonly StateItem[] | null {
  if (item['type'] === 'message') {
    const { from, to, ...rest } = item;
    const text = message.content.slice(Number(from), Number(to));
    if (text === '') return [];
    return [{ ...rest, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }];
  }
  if (item['type'] === 'function_call') {
    const { position, ...rest } = item;
    const call = message.calls[Number(position)];
    if (!call) return null;
    return [{ ...rest, call_id: idOf(call), name: call.name, arguments: call.arguments }];
  }
  return [item];
}
