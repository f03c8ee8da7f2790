// The messages of a model request: texts of speakers, responses of the model, results of its calls.

/** A call of a tool, as a model made it. */
export interface MessageCall {
  /** In a response it is the provider's id. In a request it is Belay's own, which is unique. */
  readonly callId: string;
  readonly name: string;
  /** A JSON text. In a response it is what the model wrote, and may be malformed. In a request it is always an object. */
  readonly arguments: string;
}

/** One message. The `callId` of a `tool` message names the call of an earlier `assistant` message. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };
