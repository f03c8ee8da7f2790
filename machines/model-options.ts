// The options of a model call. A runtime, an agent and a turn may each give some: the narrower one counts, option by option.
import type { Json } from './messages.ts';

export interface ModelOptions {
  /** How much the model is to reason, in the endpoint's own words: `none`, `low`, `high` … */
  readonly reasoningEffort?: string;
  /** The most tokens that one response may have, reasoning included. */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** `none`: the model may call no tool. */
  readonly tools?: 'auto' | 'none';
  /** How long the endpoint is asked to keep the front of a request, where it can be asked. `off`: not at all. */
  readonly cache?: 'off' | 'short' | 'long';
  /** Fields of the request's body for this provider alone. They replace what Belay would send under the same name. */
  readonly extra?: Readonly<Record<string, Json>>;
}

/** The options that a SAY may give for the model calls of its turn. */
export interface TurnOptions
  extends Pick<ModelOptions, 'reasoningEffort' | 'maxOutputTokens' | 'temperature' | 'tools'> {
  /** The endpoint's name of the model: one of those that the runtime offers. */
  readonly model?: string;
}
