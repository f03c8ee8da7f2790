// The extension points of a runtime: code of the embedder that runs before and after model calls and tool calls.
import type { Message } from '../../../machines/messages.ts';
import type { Effect, NodeId, OutcomeKind, SpeakerId } from '../../../machines/vocabulary.ts';
import type { ProviderEndpoint } from '../contracts/provider.ts';

/** A model request before it is sent. */
export interface Draft {
  readonly session: string;
  readonly turn: NodeId;
  readonly messages: readonly Message[];
  /** The id of the receipt that an acknowledgement acknowledges. Its messages describe the stop, instead of the conversation. */
  readonly acknowledges?: string;
  readonly signal: AbortSignal;
}

/** A call whose owner is to be decided. */
export interface CallAttribution {
  readonly session: string;
  readonly turn: NodeId;
  readonly turnOwner: SpeakerId;
  readonly name: string;
  readonly arguments: string;
}

/** A call before it runs. */
export interface InterceptedCall {
  readonly session: string;
  readonly turn: NodeId;
  readonly call: NodeId;
  readonly speaker: SpeakerId;
  readonly name: string;
  /** The parsed arguments, as the interceptors before have left them. */
  readonly arguments: unknown;
}

export type InterceptorVerdict =
  | { readonly do: 'allow' }
  /** It runs with these arguments. The model goes on seeing its own. */
  | { readonly do: 'change'; readonly arguments: unknown }
  /** It does not run: this is its result. */
  | { readonly do: 'answer'; readonly output: string }
  | { readonly do: 'deny'; readonly reason: string };

/** A call that has ended. */
export interface InterceptedOutcome {
  readonly session: string;
  readonly call: NodeId;
  readonly name: string;
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
}

/** Sees every call before it runs, and how it ended. */
export interface Interceptor {
  /**
   * Allows (also by resolving with nothing), changes, answers or denies a call. The signal stops it; a verdict that comes after that is
   * ignored.
   */
  beforeTool?(call: InterceptedCall, signal: AbortSignal): Promise<InterceptorVerdict | undefined>;
  /** Called once for each outcome, after its commit; `continues` is none. */
  afterTool?(call: InterceptedOutcome): void;
}

/** What is known of a model call beside its facts. */
export interface ModelCallDescription extends ProviderEndpoint {
  readonly responseId?: string | undefined;
  readonly responseModel?: string | undefined;
}

/** Runs the work of calls inside their spans, and learns what no fact has. */
export interface CallTracing {
  /** Returns what `work` returns. Spans that it starts become children of the call's. */
  inCall<T>(call: NodeId, work: () => T): T;
  /** Adds to what is known of a model call: its endpoint before its `model_started`, its response while it arrives. */
  describeModelCall(turn: NodeId, index: number, about: ModelCallDescription): void;
}

/** All extension points, as the embedder gives them. */
export interface Extensions {
  /** Asked in this order. */
  readonly interceptors: readonly Interceptor[];
  /** May change the request before each model call. */
  readonly buildContext?: ((draft: Draft) => Promise<readonly Message[]>) | undefined;
  /** Attributes a call to another speaker than its turn's owner: that speaker then has standing over it. */
  readonly ownerOfCall?: ((call: CallAttribution) => SpeakerId) | undefined;
}
