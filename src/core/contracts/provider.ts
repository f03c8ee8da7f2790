// The contract of a model provider: one request, a stream, one end. Implementations stand beside this file.
import type { FailureCode } from '../../../machines/codes.ts';
import type { Json, Message, MessageCall, ProviderState } from '../../../machines/messages.ts';
import type { ModelOptions } from '../../../machines/model-options.ts';
import type { ToolDeclaration } from '../../../machines/tool-declaration.ts';
import type { Effect, Finish, NodeId, Usage } from '../../../machines/vocabulary.ts';

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  /** The endpoint's name of the model; the provider's default if it is left out. */
  readonly model?: string | undefined;
  readonly options?: ModelOptions | undefined;
  /** The id of the session: requests of one session have most of their text in common. */
  readonly session?: string | undefined;
  /** The model call that it is for. Left out: it is for none of a turn. */
  readonly call?: RequestedCall | undefined;
}

/** A model call of a turn. */
export interface RequestedCall {
  /** The id of its turn. */
  readonly id: NodeId;
  /** Its number in the turn. */
  readonly index: number;
  /** The name of the sub-agent whose turn it is; null: it is a turn of a speaker. */
  readonly agent: string | null;
  /** The id of the receipt that the turn acknowledges. */
  readonly acknowledges?: string | undefined;
}

export interface ModelStream {
  /** After its abort no request is sent, and the one in flight is closed, so that the server sees it closed. */
  readonly signal: AbortSignal;
  /** Receives each piece of the response's text as it arrives. */
  onText(text: string): void;
  /** Receives each piece of the model's reasoning. It is shown while it arrives, and is no part of the history. */
  onReasoning?(text: string): void;
  /** Receives each piece of a call's arguments. */
  onCallInput?(piece: CallInputPiece): void;
  /** Receives each call that the provider itself runs: when it starts, and when it has ended. */
  onProviderCall?(call: ProviderCall): void;
  /** Receives what the endpoint says of its response, as soon as it says it. Called again with what comes later. */
  onResponse?(response: ResponseIdentity): void;
  /** Resolves with the bytes of a blob that a message names; null if they were swept. Left out: there are none. */
  readBlob?(blob: string): Promise<Uint8Array | null>;
}

/** What an endpoint says of a response, for telemetry. */
export interface ResponseIdentity {
  /** Its id at the endpoint. */
  readonly id?: string | undefined;
  /** The model that has made it: it may be another than the one that was asked for. */
  readonly model?: string | undefined;
}

/** The endpoint of a provider, for telemetry. */
export interface ProviderEndpoint {
  /** Its family, `openai` for example. Left out: it is not known. */
  readonly family?: string | undefined;
  /** The name or the IP address of its host, and the port. Left out: they are not known. */
  readonly address?: string | undefined;
  readonly port?: number | undefined;
}

/** A piece of the arguments of a call that is still arriving. */
export interface CallInputPiece {
  /** The place of the call in its response, from 0. */
  readonly position: number;
  /** The name of the tool; empty while it is not known. */
  readonly name: string;
  readonly text: string;
}

/** A call that the provider itself runs: a search, a connector, code in its sandbox. */
export interface ProviderCall {
  /** The provider's id. */
  readonly callId: string;
  readonly name: string;
  /** A JSON text; empty while it is not known. */
  readonly arguments: string;
  /** `failed` and `completed` are final. */
  readonly state: 'running' | 'completed' | 'failed';
  /** What it may have done in the world. */
  readonly effect: Exclude<Effect, 'not_started'>;
  readonly output?: string;
}

/** The end of a model call. `calls` holds whole calls only: one whose arguments were still arriving is dropped. */
export type ModelEnd =
  | {
      readonly kind: 'completed';
      /** `empty` and `reasoning_only` may be reported as `stop`: the runtime distinguishes them. */
      readonly finish: Finish;
      readonly calls: readonly MessageCall[];
      readonly usage: Usage;
      /** The provider state of this response, at most 1 MiB as JSON. Left out: none. */
      readonly state?: readonly Json[] | undefined;
    }
  | { readonly kind: 'stopped'; readonly calls: readonly MessageCall[]; readonly usage: Usage }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string; readonly usage: Usage };

/** Returns what identifies the responses of a provider for a model; the model that a request names, or undefined. */
export const originOf = (
  { name, model: ownModel }: Pick<Provider, 'name' | 'model'>,
  model: string | undefined,
): Pick<ProviderState, 'provider' | 'model'> => ({ provider: name, model: model ?? ownModel ?? '' });

/** Returns the model of a turn's calls: the one that its SAY has asked for, while the runtime offers it, else that of the profile. */
export const modelOfTurn = (
  asked: string | undefined,
  own: string | undefined,
  offered: readonly string[],
): string | undefined => (asked !== undefined && offered.includes(asked) ? asked : own);

/** Returns the options with those of `narrower` in their place. The fields of `extra` are joined. */
export function narrowOptions(options: ModelOptions = {}, narrower: ModelOptions = {}): ModelOptions {
  const extra = options.extra && narrower.extra ? { extra: { ...options.extra, ...narrower.extra } } : {};
  return { ...options, ...narrower, ...extra };
}

export interface Provider {
  /** Names the endpoint too: provider state is sent only to a provider of the same name, for the same model. */
  readonly name: string;
  /** The model of requests that name none. Left out: the endpoint's own. */
  readonly model?: string | undefined;
  /** What traces say of the endpoint. Left out: nothing is known of it. */
  readonly endpoint?: ProviderEndpoint | undefined;
  /** Makes a model call and never rejects. Resolves as soon as possible after an abort; the runtime waits at most 250 ms for it. */
  stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd>;
}
