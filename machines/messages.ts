// The messages of a model request: texts of speakers, responses of the model, results of its calls.
import type { ContentPart } from './content.ts';

/** A call of a tool, as a model made it. */
export interface MessageCall {
  /** In a response it is the provider's id. In a request it is Belay's own, which is unique. */
  readonly callId: string;
  /** In a request: the provider's id, which may repeat. Left out where it is not known. */
  readonly givenId?: string;
  readonly name: string;
  /** A JSON text. In a response it is what the model wrote, and may be malformed. In a request it is always an object. */
  readonly arguments: string;
}

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a provider wants to receive again with its response, in later requests: reasoning items, signatures. Only the provider reads it. */
export interface ProviderState {
  /** The name of the provider. */
  readonly provider: string;
  /** The endpoint's name of the model. */
  readonly model: string;
  readonly parts: readonly Json[];
}

/** What a speaker said, a note of the runtime, or the instructions. */
interface GivenMessage {
  readonly role: 'system' | 'user';
  /** The whole content as text: a description stands for each part that is not text. */
  readonly content: string;
  /** Present where the content is more than text: all of it, in its order. */
  readonly parts?: readonly ContentPart[];
}

interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly calls: readonly MessageCall[];
  /** Present only in a request to the provider and the model that it comes from. */
  readonly state?: ProviderState;
}

/** The result of a call: `callId` names the call of an earlier `assistant` message. */
interface ToolMessage {
  readonly role: 'tool';
  readonly callId: string;
  /** This and `parts`: as in `GivenMessage`. */
  readonly content: string;
  readonly parts?: readonly ContentPart[];
}

export type Message = GivenMessage | AssistantMessage | ToolMessage;
