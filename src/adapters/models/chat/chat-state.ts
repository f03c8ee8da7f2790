// The state that a response of Chat Completions goes back with: the fields of its message and of its calls that its family wants, as they came.
import type { Json, ProviderState } from '../../../../machines/messages.ts';
import { fieldsOf } from '../../../core/collections/untrusted-fields.ts';

type Fields = Readonly<Record<string, Json>>;

/** The one part of a state. */
export interface ChatState {
  /** Of the message. */
  readonly message: Fields;
  /** Of each call, in their order. */
  readonly calls: readonly Fields[];
  /** Parts of the content that came before its text. */
  readonly content: readonly Json[];
}

/** Returns the parts of a state. */
export const partsOfState = ({ message, calls, content }: ChatState): readonly Json[] => [
  { message, calls: [...calls], content: [...content] },
];

// what was read from JSON text has nothing but JSON in it
const jsonFields = (value: unknown): Fields => fieldsOf(value) as Fields;
const jsonList = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

/** Reads the state of a message; null: it was dropped, there never was one, or it is none of Chat Completions. */
export function readState(state: ProviderState | undefined): ChatState | null {
  const { message, calls, content } = fieldsOf(state?.parts[0]);
  if (message === undefined) return null;
  return { message: jsonFields(message), calls: jsonList(calls).map(jsonFields), content: jsonList(content) };
}
