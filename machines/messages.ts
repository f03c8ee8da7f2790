// The messages of a model request: words of speakers, responses of the model, results of its calls.

/** A call of a tool, as a model made it. */
export interface MessageCall {
  /** In a response of a model the provider's id; in a request Belay's own, which never repeats. */
  readonly callId: string;
  readonly name: string;
  /** A JSON text. In a response it is as the model wrote it, perhaps malformed; in a request it is always an object. */
  readonly arguments: string;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };
