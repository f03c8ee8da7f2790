// The form of an entry in the table of endpoint families: what differs between endpoints that speak Chat Completions.
import type { Json } from '../../../../machines/messages.ts';
import type { CallIdForm } from '../endpoint-ids.ts';
import type { AcceptedMedia } from '../resolve-media.ts';

type Fields = Readonly<Record<string, Json>>;

/** How an option of Belay is written in the body. */
export interface EffortField {
  /** The names that lead to the field, from the outside. */
  readonly path: readonly string[];
  /** What is sent for the effort `none` instead of it. Left out: the word goes into the field. */
  readonly none?: Fields;
  /** What is sent beside the field for any other effort. */
  readonly beside?: Fields;
}

/** Which fields of a response go back with it, as they came. */
export interface StateFields {
  /** Fields of its message. */
  readonly message: readonly string[];
  /** Fields of each of its calls. */
  readonly call: readonly string[];
  /** Whether its reasoning is a part of its content, and goes back there. */
  readonly inContent?: boolean;
  /** The `reasoning_content` of a response that had calls and none of it, where calls without it are refused. Left out: a space. */
  readonly noReasoning?: string;
}

/**
 * How calls go back whose state was dropped, because their response was cut off or came from another model. `calls`: as calls without it.
 * `words`: replaced by words, with their results. An object: fields for the first call of a message, in the place of its state.
 */
export type WithoutState = 'calls' | 'words' | { readonly firstCall: Fields };

export interface ChatFamily {
  /** Hosts of its endpoints; a host below one of them counts too. */
  readonly hosts: readonly string[];
  /** The port at which its server listens where nothing else is configured. */
  readonly port?: number;
  /** Where the instructions stand. `user`: in the first message of the user, for templates that know no system message. */
  readonly instructions: 'system' | 'user';
  /** The form of the ids of calls that it accepts. */
  readonly callIds: CallIdForm;
  readonly state: StateFields;
  readonly withoutState: WithoutState;
  /** The models that `withoutState` holds for; calls of others go back as calls. Left out: all. */
  readonly statefulModels?: RegExp;
  /** The content of a message that has calls and no text. */
  readonly emptyContent: 'null' | 'text' | 'left_out';
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
  readonly effort: EffortField;
  /** Models that take tools only with the effort `none`. */
  readonly toolsOnlyWithoutReasoning?: RegExp;
  /** How tools are switched off. `left_out`: it ignores `tool_choice`. */
  readonly toolsOff: 'tool_choice' | 'left_out';
  /** What makes it report the usage of a stream. */
  readonly usage: Fields;
  /** The field for a key that the requests of a session share. */
  readonly cacheKey?: string;
  /** What asks for each cache option. Left out: it cannot be asked. */
  readonly cache?: { readonly short?: Fields; readonly long?: Fields };
  readonly media: AcceptedMedia;
}
