// The state that a response of Chat Completions goes back with: the fields of its message and of its calls that its family wants, as they
// came. It is collected from the pieces of a stream, and read from the message in later requests.
import type { Json, ProviderState } from '../../../../machines/messages.ts';
import { fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';
import type { ChatFamily } from './chat-family.ts';

type Fields = Readonly<Record<string, Json>>;

/** The one part of a state. */
export interface ChatState {
  /** The fields of the message. */
  readonly message: Fields;
  /** The fields of each call, in their order. */
  readonly calls: readonly Fields[];
  /** Parts of the content that came before its text. */
  readonly content: readonly Json[];
}

// what was read from JSON text has nothing but JSON in it
const jsonFields = (value: unknown): Fields => fieldsOf(value) as Fields;
const jsonList = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

/** Reads the state of a message; null: it was dropped, there never was one, or it is none of Chat Completions. */
export function readState(state: ProviderState | undefined): ChatState | null {
  const { message, calls, content } = fieldsOf(state?.parts[0]);
  if (message === undefined) return null;
  return { message: jsonFields(message), calls: jsonList(calls).map(jsonFields), content: jsonList(content) };
}

type StateRules = Pick<ChatFamily, 'state' | 'withoutState'>;

/** The state of one response. */
export class StateCollector {
  readonly #message = new Map<string, Json>();
  readonly #content: Json[] = [];

  /** `thinking`: the parts of the content that are reasoning. */
  add(message: UntrustedFields, thinking: readonly Json[], { state }: StateRules): void {
    for (const name of state.message) {
      const value = message[name];
      if (value !== undefined && value !== null)
        this.#message.set(name, joined(this.#message.get(name), value as Json)); // it was read from JSON text
    }
    if (state.inContent) for (const part of thinking) addThinking(this.#content, part);
  }

  /**
   * Returns the parts of the state; none: nothing goes back. Where calls without state cannot go back as calls, a response with calls has one
   * in any case: with what stands for no reasoning.
   */
  parts(calls: readonly Fields[], { state, withoutState }: StateRules): readonly Json[] {
    const message: Record<string, Json> = Object.fromEntries(this.#message);
    const { reasoning_details: details } = message;
    if (details !== undefined) delete message['reasoning']; // the same, in the form that goes back
    if (Array.isArray(details)) {
      const accepted = details.filter((detail) => !isRefused(detail));
      if (accepted.length > 0) message['reasoning_details'] = accepted;
      else delete message['reasoning_details'];
    }
    const isEmpty = Object.keys(message).length + this.#content.length === 0;
    const needsState = withoutState === 'words' && calls.length > 0;
    const hasReasoning = this.#content.length > 0 || Object.values(message).some((value) => value !== '');
    // its calls are refused without the field
    if (needsState && !hasReasoning) message['reasoning_content'] = state.noReasoning ?? ' ';
    if (isEmpty && !needsState && calls.every((fields) => Object.keys(fields).length === 0)) return [];
    return [{ message, calls: [...calls], content: [...this.#content] }];
  }
}

/** Joins two pieces of a field: texts are appended, lists too, and of other fields the later ones count. */
function joined(before: Json | undefined, piece: Json): Json {
  if (typeof before === 'string' && typeof piece === 'string') return before + piece;
  if (Array.isArray(piece)) return piece.reduce<readonly Json[]>(addDetail, Array.isArray(before) ? before : []);
  const isPlain = (value: Json | undefined) => typeof value === 'object' && value !== null && !Array.isArray(value);
  // both are objects
  return isPlain(before) && isPlain(piece) ? { ...(before as Fields), ...(piece as Fields) } : piece;
}

/** Adds a detail of OpenRouter's list: a block of reasoning, or a piece of one. */
function addDetail(details: readonly Json[], detail: Json): readonly Json[] {
  const piece = fieldsOf(detail);
  const at = details.findLastIndex((each, i) => continues(piece, fieldsOf(each), i === details.length - 1));
  if (at < 0) return [...details, detail];
  const block = fieldsOf(details[at]);
  const merged: Record<string, unknown> = { ...block };
  for (const [name, value] of Object.entries(piece))
    if (value !== null) merged[name] = isTextName(name) ? `${block[name] ?? ''}${String(value)}` : value;
  return details.with(at, merged as Fields); // made of fields of JSON
}

/**
 * Returns whether a piece belongs to a block. The pieces of a block have its type, and its index where they have one. The signature comes last:
 * with the text, alone after it, or after the pieces of other blocks. What is encrypted comes whole.
 */
function continues(piece: UntrustedFields, block: UntrustedFields, isLast: boolean): boolean {
  const { type, index = block['index'], text, summary, signature } = piece;
  if (block['type'] !== type || block['index'] !== index || isPresent(block['signature'])) return false;
  return isPresent(text) || isPresent(summary) ? isLast : isPresent(signature);
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const isTextName = (name: string): boolean => name === 'text' || name === 'summary';

/** Claude signs its blocks of reasoning, and refuses one without a signature: its response was cut off within it. */
const isRefused = (detail: Json): boolean => {
  const { type, format, signature } = fieldsOf(detail);
  return type === 'reasoning.text' && /^anthropic-/.test(String(format)) && !isPresent(signature);
};

/** Appends to the last part of reasoning, or adds one. The last piece of a part may have other fields and no text. */
function addThinking(content: Json[], part: Json): void {
  const before = fieldsOf(content.at(-1));
  const piece = fieldsOf(part);
  if (piece['type'] !== 'thinking' || before['type'] !== 'thinking') {
    content.push(part);
    return;
  }
  const text = textOf(before['thinking']) + textOf(piece['thinking']);
  const isText = typeof (before['thinking'] ?? piece['thinking']) === 'string';
  const merged = { ...before, ...piece, thinking: isText ? text : [{ type: 'text', text }] };
  content.splice(-1, 1, merged as Fields); // made of fields of JSON
}

const textOf = (thinking: unknown): string =>
  typeof thinking === 'string'
    ? thinking
    : Array.isArray(thinking)
      ? thinking.map((part) => String(fieldsOf(part)['text'] ?? '')).join('')
      : '';
