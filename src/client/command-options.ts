// The options of the commands of a session: what opens a turn, and what concerns people, rooms and MCP servers.

import type { TurnOptions } from '../wire/client-frames.ts';
import type { ContentPart } from '../wire/said-parts.ts';
import type { CallStopNotice } from './call-in-flight.ts';

/** Options of whatever opens a turn. */
export interface TurnHandling {
  /** Aborting it cancels the turn, whatever its state is by then. */
  readonly signal?: AbortSignal | undefined;
  /** Leaving a loop over the turn before its end cancels it. */
  readonly cancelOnBreak?: boolean | undefined;
  /** The handling of a command without a connection: it fails at once (`reject`), or is sent as soon as there is one (`wait`). Default: the client's. */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
}

export interface ResumeOptions extends TurnHandling {
  /** What is said to it. Left out: nothing. */
  readonly text?: string | undefined;
  /** Bridges only: the speaker who resumes the turn. */
  readonly as?: string | undefined;
}

export interface SayOptions extends TurnHandling {
  /** What is said, where it is more than text: all of it, in its order. It names blobs that the session has. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** For the model calls of the turn: instead of what the server has configured, option by option. */
  readonly model?: TurnOptions | undefined;
  /** Bridges only: the speaker of the text. */
  readonly as?: string | undefined;
  /** Bridges only: how surely the text was directed at the bot, from 0 to 1. */
  readonly addressed?: number | undefined;
  /** Bridges only: the text replies to something that the bot has said. */
  readonly replyToBot?: boolean | undefined;
}

export interface SteerOptions extends SayOptions {
  /** The id of the turn that the words are for. Left out: the latest turn of this speaker that runs. */
  readonly target?: string | undefined;
}

export interface InviteOptions {
  /** The handling of a command without a connection: it fails at once (`reject`), or is sent as soon as there is one (`wait`). Default: the client's. */
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
}

export interface NamedInviteOptions extends InviteOptions {
  /** The role of the speaker in this session; it replaces the one before. Left out: that which they have there, or `member`. Gateways without `rooms` refuse it. */
  readonly role?: 'member' | 'moderator' | undefined;
}

export interface InviteLinkOptions extends InviteOptions {
  /** How long the link can be used, in milliseconds: from a minute to 30 days. */
  readonly ms: number;
  /** The role in this session of who uses it. Default: `member`. */
  readonly role?: 'member' | 'moderator' | undefined;
}

export interface DelegateOptions extends InviteOptions {
  /** What the other speaker may stop: `mine` (the default) is everything of this speaker; a node id, this speaker's part of it. */
  readonly target?: string | undefined;
  /** The time at which it ends, in milliseconds since 1970. Left out: when another one replaces it. A time that is over ends it now. */
  readonly until?: number | undefined;
  /** Bridges only: the speaker whose nodes they are. */
  readonly as?: string | undefined;
}

export interface ForkOptions extends InviteOptions {
  /** The id of the new session. Left out: the server makes one up. */
  readonly to?: string | undefined;
}

export interface RoomOptions extends InviteOptions {
  /** The roles of the speaker in the room. Default: `member`. */
  readonly roles?: readonly ('member' | 'moderator')[] | undefined;
}

/** `resource` or `prompt`: its content; neither: a list, of one server or of all. */
export interface ReadOptions {
  /** The name of an MCP server. */
  readonly server?: string | undefined;
  /** Its address, as the list has it. */
  readonly resource?: string | undefined;
  readonly prompt?: string | undefined;
  /** The arguments of the prompt. */
  readonly arguments?: Record<string, string> | undefined;
}

/** What a recognizer says of words that somebody has spoken: this speaker, or one of the room of a bridge. */
export interface TranscriptOptions extends InviteOptions {
  /** The speaker of the words, for bridges. Left out: this speaker. */
  readonly as?: string | undefined;
  /** Whether the words are final; false: the recognizer may still change them. */
  readonly final: boolean;
  /** How sure the recognizer is of the words, from 0 to 1. */
  readonly confidence?: number | undefined;
  /** How likely it is that nobody spoke, from 0 to 1. */
  readonly noSpeech?: number | undefined;
  /** Bridges only: how surely the words were directed at the bot, from 0 to 1. */
  readonly addressed?: number | undefined;
  /** Bridges only: the words reply to something that the bot has said. */
  readonly replyToBot?: boolean | undefined;
}

/** A call that this client runs itself. */
export interface OpenCallOptions extends InviteOptions {
  /** Its arguments: an object of JSON. Default: an empty one. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** What it may do once it runs: `none` (it only reads) or `some`, the default. */
  readonly effect?: 'none' | 'some' | undefined;
  /** It needs the yes of its owner, also where the server asks for none. */
  readonly approval?: boolean | undefined;
  /** Milliseconds after which it is stopped. Default: as a tool that declares no timeout. */
  readonly timeoutMs?: number | undefined;
  /** Called when the call is to stop: end it, and settle it as `stopped`. Called again under `force`, and after a break of the connection, with what is left of the time. */
  readonly onStop?: ((stop: CallStopNotice) => void) | undefined;
  /** The speaker whom it is for, who owns it. Default: the speaker of the connection. */
  readonly as?: string | undefined;
}

/** A sound while the bot speaks. */
export interface BargeInOptions extends InviteOptions {
  /** Who speaks, for bridges. Left out: this speaker. */
  readonly as?: string | undefined;
  /** For how long so far, in milliseconds. Left out: the bridge has applied a minimum of its own. */
  readonly durationMs?: number | undefined;
}

/** How much of a text block was played. */
export type PlayedText = PlayedBlock &
  (
    | {
        /** Characters from the start of the block, in UTF-16 code units. */
        readonly offset: number;
        readonly ms?: undefined;
      }
    | {
        readonly offset?: undefined;
        /** Milliseconds of the sound of the block that was received. Needs a gateway whose `features` have `sound`. */
        readonly ms: number;
      }
  );

interface PlayedBlock {
  readonly turn: string;
  readonly index: number;
  /** The place is an estimate from the time. Needs a gateway whose `features` have `own_speech`. */
  readonly estimated?: boolean | undefined;
}
