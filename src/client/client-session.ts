// The interface of a session that a client has joined, over a socket or inside the process.
import type { ServerFrame, ServerFrameOf, TextDelta } from '../wire/server-frames.ts';
import type { Answer, AnswerOptions } from './answer-options.ts';
import type { OpenedCallHandle } from './call-in-flight.ts';
import type { CancelHandle, CancelOptions } from './cancel-in-flight.ts';
import type {
  BargeInOptions,
  DelegateOptions,
  ForkOptions,
  InviteLinkOptions,
  InviteOptions,
  NamedInviteOptions,
  OpenCallOptions,
  PlayedText,
  ReadOptions,
  ResumeOptions,
  RoomOptions,
  SayOptions,
  SteerOptions,
  TranscriptOptions,
} from './command-options.ts';
import type { JoinState } from './command-queue.ts';
import type { RoomSpeaker, TranscriptReply } from './room-speaker.ts';
import type { Turn } from './turn-in-flight.ts';

/** `away`: there is no connection, or the session could not be joined over it yet. `ended`: for good. */
export type SessionState = JoinState | 'ended';

export interface ClientSession {
  readonly id: string;
  /** Rejects with `CommandRefused`, `SessionEnded` or `ConnectionClosed`. */
  readonly joined: Promise<ServerFrameOf<'joined'>>;
  readonly state: SessionState;
  /** The sequence number of the last fact: the `after` for a program that comes back. */
  readonly seq: number;
  /** Open text blocks with the text so far. */
  readonly blocks: readonly TextDelta[];
  say(text: string, options?: SayOptions): Turn;
  /**
   * Says something to a turn that runs: its next model call reads it. `fate` of the result says what became of the words. Where no turn runs, it is as `say`. Its
   * `opened` rejects with `CommandRefused`, code `not_steerable` or the reason of a refused CANCEL, where the `target` may not be steered.
   */
  steer(text: string, options?: SteerOptions): Turn;
  /**
   * Takes an interrupted turn up again from what completed: a new turn of this speaker, in flight like that of `say`. Its `opened` rejects with `CommandRefused`, code
   * `unknown_turn`, `turn_of_another`, `turn_not_settled`, `not_interrupted` or `already_resumed`. `turn`: its id.
   */
  resume(turn: string, options?: ResumeOptions): Turn;
  /**
   * `target`: a node id, `mine` or `session`; `tools:mine`, or `tools:` with the id of a turn: the tools alone, and the turns go on with the results; `lane:` with
   * the id of a turn: that turn, and those of its owner that wait behind it. Where the gateway does not know such a target, both promises reject with `NotSupported`.
   */
  cancel(target: string, options?: CancelOptions): CancelHandle;
  /**
   * Says yes to a call that asks for it (`approval_requested`). Resolves with the fact that has closed the question. Rejects as a cancel does; with
   * `CommandRefused`, code `expired`, if it was closed before.
   */
  approve(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  /** Says no: the call does not run, and the turn goes on. */
  deny(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>>;
  /** Answers a question of a call (`question_asked`): in words, or by the values that its `schema` asks for. */
  answer(call: string, answer: Answer, options?: AnswerOptions): Promise<ServerFrameOf<'question_closed'>>;
  /**
   * Makes a speaker a member of the session. Resolves with the fact; at once if the speaker was one before. Rejects with `CommandRefused`, code
   * `access_denied`, unless this speaker owns the session or is a moderator in it.
   */
  invite(speaker: string, options?: NamedInviteOptions): Promise<ServerFrameOf<'member_invited'>>;
  /**
   * Makes a link that lets one speaker in, once. Resolves with its `secret`, of which there is no other copy, and its id. Rejects as `invite` does, and with `too_many_invites`;
   * with `NotSupported` at an older gateway.
   */
  inviteLink(options: InviteLinkOptions): Promise<ServerFrameOf<'invite_link'>>;
  /** Revokes an invite link by its id. Resolves with the fact; at once if it could not be used any more. */
  revoke(invite: string, options?: InviteOptions): Promise<ServerFrameOf<'invite_revoked'>>;
  /** Makes a speaker a member no more: the speaker's connections leave. Resolves with the fact; at once if the speaker was no member. */
  remove(speaker: string, options?: InviteOptions): Promise<ServerFrameOf<'member_removed'>>;
  /**
   * Names a speaker who may stop what is this speaker's. Resolves with the fact; at once if it held before. Rejects with `CommandRefused`, code `not_yours`, if
   * the target is a node that is not live, or belongs to another speaker.
   */
  delegate(speaker: string, options?: DelegateOptions): Promise<ServerFrameOf<'stop_delegated'>>;
  /**
   * Sets the timeout of a tool for the calls of the session that start from now on, in milliseconds; null: as it is configured. Resolves with the fact; at once
   * if the timeout had this value before. Rejects with `CommandRefused` unless this speaker owns the session or is a moderator in it (`access_denied`), for an unknown tool
   * (`no_such_tool`), and below 1 000 or above the maximum of the gateway (`timeout_out_of_range`); with `NotSupported` at an older gateway.
   */
  setToolTimeout(tool: string, ms: number | null, options?: InviteOptions): Promise<ServerFrameOf<'tool_timeout_set'>>;
  /** Gives the session a title, for its owner and moderators; null: its first words name it. */
  rename(title: string | null, options?: InviteOptions): Promise<ServerFrameOf<'session_renamed'>>;
  /** Bridges only: a speaker has come into the room that the bridge relays, or has left it. */
  setSpeaker(speaker: string, present: boolean, options?: RoomOptions): Promise<ServerFrameOf<'speaker'>>;
  /**
   * Words that were recognized: of this speaker, in any session (with `NotSupported` at an older gateway); of a speaker of the room (`as`) for bridges, in a voice session. Resolves
   * with `turn_opened` or `stop_phrase` where they count, with `transcript_ignored` where they do not. Rejects as a SAY does.
   */
  transcript(text: string, options: TranscriptOptions): Promise<TranscriptReply>;
  /** Somebody makes a sound while the bot speaks: this speaker, to whom it speaks at this connection, or for bridges one of the room. `result` says what follows. */
  bargeIn(options?: BargeInOptions): Promise<ServerFrameOf<'barge_in'>>;
  /** How much of a text block was played so far: of an own turn at this connection, or for bridges of a voice session. Rejects with `CommandRefused`, code `not_yours`, for any other. `unknown_target`: nothing of it is expected any more. */
  played(text: PlayedText): Promise<ServerFrameOf<'played' | 'unknown_target'>>;
  /**
   * Bridges only: opens a call that this client runs itself, and settles: a job elsewhere, a function call of a model that speaks by itself. It is a call like any other to everybody
   * in the session; whoever may stop it stops it through `onStop`. `name`: as the name of a tool.
   */
  openCall(name: string, options?: OpenCallOptions): OpenedCallHandle;
  /** Bridges only: this session as a speaker of the room has it. */
  speaks(speaker: string): RoomSpeaker;
  /**
   * Reads a resource or a prompt of an MCP server, as `parts` for a SAY; without either, lists what there is. Rejects with `CommandRefused`, code
   * `not_readable`, whose message says why.
   */
  read(what?: ReadOptions): Promise<ServerFrameOf<'read'>>;
  /**
   * Makes a session that goes on from the end of a turn of this one, with what had settled by then; this speaker owns it, and is its only member. Resolves with its
   * id, `fork`, to join. Rejects with `CommandRefused`, code `turn_not_forkable`, `fork_too_large`, `session_exists` or `access_denied`; with `NotSupported` where
   * the gateway cannot fork.
   */
  fork(turn: string, options?: ForkOptions): Promise<ServerFrameOf<'forked'>>;
  /** Calls the listener for each frame of one type, or of all (`*`), until the returned function is called. Earlier frames are not repeated. */
  on<T extends ServerFrame['type']>(type: T, listener: (frame: ServerFrameOf<T>) => void): () => void;
  on(type: '*', listener: (frame: ServerFrame) => void): () => void;
  /** Calls the listener for each new `state`. */
  on(type: 'state', listener: (state: SessionState) => void): () => void;
  /** Leaves the session; what was started runs on. */
  leave(): Promise<void>;
}
