// The state that a response of Chat Completions goes back with: the fields of its message and of its calls that its family wants, as they
// came. It is collected from the pieces of a stream, and read from the message in later requests.
import type { Json, ProviderState } from '../../../../machines/messages.ts';
import { fieldsOf, type UntrustedFields } from '../../../core/collections/untrusted-fields.ts';
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
    if (message['reasoning_details'] !== undefined) delete message['reasoning']; // the same, in the form that goes back
    const isEmpty = this.#message.size + this.#content.length === 0;
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

/** Adds a detail of OpenRouter's list. The pieces of one detail have its index and its type; what is encrypted comes whole. */
function addDetail(details: readonly Json[], detail: Json): readonly Json[] {
  const last = fieldsOf(details.at(-1));
  const { type, index, text, summary } = fieldsOf(detail);
  const isSame = last['type'] === type && last['index'] === index && (text ?? summary) !== undefined;
  if (!isSame || details.length === 0) return [...details, detail];
  const merged: Record<string, unknown> = { ...last };
  for (const [name, value] of Object.entries(fieldsOf(detail)))
    if (value !== null) merged[name] = isText(name) ? `${last[name] ?? ''}${String(value)}` : value;
  return [...details.slice(0, -1), merged as Fields]; // made of fields of JSON
}

const isText = (name: string): boolean => name === 'text' || name === 'summary';

/** Appends to the last part of reasoning, or adds one. */
function addThinking(content: Json[], part: Json): void {
  const before = fieldsOf(content.at(-1))['thinking'];
  const { type, thinking } = fieldsOf(part);
  if (type !== 'thinking' || before === undefined || typeof before !== typeof thinking) {
    content.push(part);
    return;
  }
  const text = textOf(before as Json) + textOf(thinking as Json); // parts of JSON
  content.splice(-1, 1, { type: 'thinking', thinking: typeof before === 'string' ? text : [{ type: 'text', text }] });
}

const textOf = (thinking: Json): string =>
  typeof thinking === 'string'
    ? thinking
    : Array.isArray(thinking)
      ? thinking.map((part) => String(fieldsOf(part)['text'] ?? '')).join('')
      : '';
