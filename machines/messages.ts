// The messages of a model request: what was said, what was answered, and the result of each call.

/** A call of a tool, as a model made it. */
export interface MessageCall {
  /** The provider's id in an answer of a model; in a request it is Belay's own, which never repeats. */
  readonly callId: string;
  readonly name: string;
  /** A JSON text. In an answer it is as the model wrote it, perhaps malformed; in a request it is always an object. */
  readonly arguments: string;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };
