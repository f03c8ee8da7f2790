// The commands that doors (gateway, library, tests) send to a runtime, their replies, and the events that a listener receives.
import type { AccessAction } from '../../../machines/access.ts';
import type { AnswerCode, RefusalCode } from '../../../machines/codes.ts';
import type { ContentPart } from '../../../machines/content.ts';
import type {
  ApprovalRequested,
  CancelAccepted,
  CancelRefused,
  CancelSettled,
  InputDeferred,
  OpeningOptions,
  QuestionAsked,
  SequencedFact,
  StopDelegated,
  TurnOpened,
} from '../../../machines/facts.ts';
import type {
  LiveNode,
  ModelPreview,
  OutputDelta,
  SpeechChange,
  TextDelta,
  ToolProgress,
  ToolWaiting,
} from '../../../machines/live-view.ts';
import type { TurnOptions } from '../../../machines/model-options.ts';
import type { AnswerKind, LeaveReason, NodeId, Policy, SessionKind, SpeakerId } from '../../../machines/vocabulary.ts';
import type { SpokenWords } from '../../../machines/voice-facts.ts';
import type { ServerOffers } from '../contracts/offers.ts';
import type { SoundRelay } from '../contracts/sound.ts';
import type { BroughtMessage } from '../transcript/imported.ts';
import type { CallRuntime, CallStop } from './call-api.ts';
import type { Caller } from './caller.ts';
import type {
  ActiveTurns,
  AwakeSession,
  AwakeSessions,
  DescribedHost,
  DrainReply,
  FactPage,
  HostReport,
  OpenQuestions,
  PageOfSessions,
  SessionQuery,
} from './directory-api.ts';
import type {
  CreateInviteReply,
  CreateInviteRequest,
  DelegateReply,
  DelegateRequest,
  InviteReply,
  InviteRequest,
  PresenceChange,
  RedeemReply,
  RemoveReply,
  RenameReply,
  RenameRequest,
  RevokeInviteReply,
  RevokeInviteRequest,
  RoomChange,
  RoomReply,
  RoomView,
  SetTimeoutReply,
  SetTimeoutRequest,
} from './member-api.ts';
import type { SessionArchive } from './session-archive.ts';
import type {
  BargeInReply,
  BargeInRequest,
  NotVoice,
  PlayedReply,
  PlayedRequest,
  TranscriptIgnored,
  TranscriptRequest,
  VoiceState,
} from './voice-api.ts';

export type { CallStop, NoOpenCall } from './call-api.ts';
export type { Caller, TokenProof } from './caller.ts';
export type {
  CreateInviteReply,
  CreateInviteRequest,
  PresenceChange,
  RedeemReply,
  RevokeInviteReply,
  RevokeInviteRequest,
  RoomView,
} from './member-api.ts';
export type { ForkRefusal, ForkReply } from './session-archive.ts';

/** The ref was used in this session for another command: nothing has happened. */
export interface RefReused {
  readonly type: 'ref_reused';
}

/** The reason of a session's end. Also the name of the close code. */
export type SessionEnd = 'shutdown' | 'store_failed' | 'fenced' | 'session_failed';

/** Why a connection has left a session without a LEAVE: the session has ended or was deleted, or the speaker was removed. */
export type JoinedSessionEnd = SessionEnd | 'removed' | 'deleted';

/** Receives the events of a session: `joined` first, then the replayed facts, then everything as it happens. No method may throw or wait. */
export interface SessionListener {
  joined(joined: Joined): void;
  /** The replay is over; facts are live from now on. Not called if no replay was asked for. */
  replayed?(): void;
  /** Called between replayed facts: null, or a promise that resolves when the listener has room for more. Only this replay waits for it. */
  waitForRoom?(): Promise<void> | null;
  fact(event: SequencedFact): void;
  text(delta: TextDelta): void;
  /** A model call streams more than text: its reasoning, the arguments of calls. */
  preview?(preview: ModelPreview): void;
  output(delta: OutputDelta): void;
  progress(progress: ToolProgress): void;
  /** A call waits for another one: called when that begins, each time that it waits for another one than before, and every `progressMs`. */
  waiting?(waiting: ToolWaiting): void;
  /** An acceptance that has not committed yet (after `acceptWaitMs`); the fact follows. */
  accepted(receipt: CancelAccepted): void;
  /** Somebody has come or gone. */
  presence?(change: PresenceChange): void;
  /** The bot's speech has to stop, or goes on. */
  speech?(change: SpeechChange): void;
  /** A call that the speaker of the connection runs is to stop. Called again with less time when a connection joins meanwhile, and under `force`. */
  stopCall?(stop: CallStop): void;
  ended(reason: JoinedSessionEnd): void;
}

/** Which facts are replayed to a listener that joins: those after a sequence number; with `last` those of so many turns, and what these need; null: none. */
export type ReplayFrom = number | { readonly last: number } | null;

/** What a listener that joins with the last turns is given of the session beside their facts. */
export interface JoinedTail {
  /** From here on all facts follow; 1: all of the session do. Of earlier ones those of turns that have not settled, and what the shown ones need. */
  readonly start: number;
  /** The owner of the session; null: a program has opened it. */
  readonly owner: SpeakerId | null;
  readonly members: readonly SpeakerId[];
  /** The delegations that hold. */
  readonly delegations: readonly Pick<StopDelegated, 'by' | 'to' | 'target' | 'until'>[];
}

/** The state of the session at the moment of joining: facts up to `seq` are replayed or already known; text continues from the blocks. */
export interface Joined {
  readonly session: string;
  readonly kind: SessionKind;
  readonly policy: Policy;
  /** The models that a SAY may ask for; the first one is that of a SAY that asks for none. Left out: none is known. */
  readonly models?: readonly string[] | undefined;
  /** The timeouts of tools that were set for the session, in milliseconds. */
  readonly toolTimeouts?: ReadonlyMap<string, number> | undefined;
  /** The title that was given to the session. Null or left out: its first words name it. */
  readonly title?: string | null | undefined;
  readonly seq: number;
  readonly nodes: readonly LiveNode[];
  /** Open text blocks with the text so far. */
  readonly blocks: readonly TextDelta[];
  /** Open questions and approvals. */
  readonly questions: readonly (ApprovalRequested | QuestionAsked)[];
  /** The state of the speech in a voice session. */
  readonly voice?: VoiceState | undefined;
  /** Who is there, and who may be. Left out: it is not known. */
  readonly room?: RoomView | undefined;
  /** Where the last turns were asked for. */
  readonly tail?: JoinedTail | undefined;
}

export type SayReply =
  /** `seq`: of the fact. `repeated`: the fact, if an earlier SAY of the same speaker under the same ref has opened the turn. */
  | { readonly type: 'turn_opened'; readonly turn: NodeId; readonly seq?: number; readonly repeated?: TurnOpened }
  /**
   * The words wait for the next model call of a turn that runs (`turn`): its `input_settled` says what becomes of them. `repeated`: as above.
   */
  | {
      readonly type: 'input_deferred';
      readonly input: NodeId;
      readonly turn: NodeId;
      readonly repeated?: InputDeferred;
    }
  /** The words were a stop phrase, and were taken as a CANCEL. `cancel`: the id of its receipt. `repeated`: of an earlier CANCEL. */
  | { readonly type: 'stop_phrase'; readonly cancel: string; readonly repeated: boolean }
  | { readonly type: 'say_refused'; readonly code: RefusalCode; readonly message: string }
  | RefReused;

/** The reply to a RESUME: that to a SAY, without the stop phrase, because it has no words. */
export type ResumeReply = Exclude<SayReply, { readonly type: 'stop_phrase' }>;

/** Final words that pass the gates are said: the reply is that of a SAY. */
export type FinalWordsReply = SayReply | TranscriptIgnored | NotVoice;

/** For the caller alone. Everybody in the session gets an acceptance or a refusal as a fact, or with `SessionListener.accepted`. */
export type CancelReply = CancelDecision | RefReused;

export type CancelDecision =
  /** `durable` false: the commit is still under way. `repeated`: this receipt was made for an earlier CANCEL. */
  | {
      readonly type: 'cancel_accepted';
      readonly receipt: CancelAccepted;
      readonly durable: boolean;
      readonly repeated: boolean;
      /** The nodes in the target that are newer than the first sending of a repeated CANCEL. */
      readonly running?: readonly NodeId[] | undefined;
    }
  | { readonly type: 'cancel_refused'; readonly refusal: CancelRefused }
  /** `running`: nodes in the target that are newer than the first sending of the CANCEL. */
  | {
      readonly type: 'already_settled';
      readonly target: string;
      readonly receipt: CancelSettled | null;
      readonly running?: readonly NodeId[] | undefined;
    }
  | { readonly type: 'unknown_target'; readonly target: string };

export type AnswerReply =
  | { readonly type: 'answer_taken' }
  | { readonly type: 'answer_refused'; readonly target: NodeId; readonly code: AnswerCode }
  | RefReused;

/** Answers an approval (`approved`, `denied`) or a question (`answered`, with its text). */
export interface AnswerRequest {
  readonly ref?: string | undefined;
  /** The call whose question it is. */
  readonly target: NodeId;
  /** The id of the question. Left out: the answer counts for the first question of the call only. */
  readonly question?: string | undefined;
  /** `cannot_ask`: the door has nobody whom it could ask. An approval is then denied, and a question withdrawn. */
  readonly answer: AnswerKind;
  readonly text?: string | undefined;
}

/** What the MCP servers of a session offer people. `resource` or `prompt`: its content; neither: a list, of one server or of all. */
export interface OfferQuery {
  readonly server?: string | undefined;
  /** An address, as the list has it. */
  readonly resource?: string | undefined;
  /** A name, as the list has it. */
  readonly prompt?: string | undefined;
  /** The arguments of the prompt. */
  readonly arguments?: Readonly<Record<string, string>> | undefined;
}

export type OfferReply =
  /** One of both: the content, or the list. */
  | { readonly type: 'read'; readonly parts?: readonly ContentPart[]; readonly offers?: readonly ServerOffers[] }
  | { readonly type: 'not_readable'; readonly message: string };

/** What a session begins with. Media of the content are blobs of the session. */
export interface ImportRequest {
  readonly messages: readonly BroughtMessage[];
}

export type ImportReply =
  /** `messages`: how many are kept, in their form as words of user and assistant in turn. */
  | { readonly type: 'imported'; readonly messages: number }
  | {
      readonly type: 'import_refused';
      readonly code: 'session_not_empty' | 'import_too_large' | 'unknown_blob';
      readonly limit?: number;
    };

export interface SayRequest {
  /** The words; where `parts` is given, its text form. */
  readonly text: string;
  /** The parts of content that is more than text, all of them in their order. The session's blob store has the bytes. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** For the model calls of the turn, instead of those of the runtime. */
  readonly options?: TurnOptions | undefined;
  readonly ref?: string | undefined;
  /** The words are for a turn that runs: its next model call reads them. `target`: that turn; left out: the latest of the speaker. If none runs, they are said like others. */
  readonly steer?: { readonly target?: NodeId | undefined } | undefined;
  /** The probability that words of a relayed speaker were directed at the bot, from 0 to 1. */
  readonly addressed?: number | undefined;
  /** Whether words of a relayed speaker reply to something that the bot has said. */
  readonly replyToBot?: boolean | undefined;
  /** The sequence number of the newest fact that the sender had. Words that go on resume no turn whose end is newer. Left out: whatever is stopped. */
  readonly seen?: number | undefined;
  /** The recognizer's statements about a transcript. */
  readonly spoken?: SpokenWords | undefined;
}

/** Takes an interrupted turn up again, from what completed. */
export interface ResumeRequest {
  readonly turn: NodeId;
  /** What the speaker says to it. Left out: nothing. */
  readonly text?: string | undefined;
  readonly ref?: string | undefined;
}

export interface CancelRequest {
  /** An idempotency key of the speaker: the same CANCEL under it is a repeat, which reaches no turn that is newer than the first one. */
  readonly ref?: string | undefined;
  /** A node id, `mine`, `session`, or `say:<ref>` on the same connection. `tools:` before the id of a turn, `mine` or `say:<ref>`: the tools, and not the turns. `lane:` before the id of a turn or `say:<ref>`: that turn, and those of its owner that wait behind it. */
  readonly target: string;
  readonly reason?: string | undefined;
  /** Skips the grace: processes and killable tools are killed at once. */
  readonly force?: boolean | undefined;
  /** The door that it came by; `disconnect`: nobody reads the stream of its SAY any more; `model`: a tool asks for it. Left out: `client`. */
  readonly source?: 'client' | 'http' | 'disconnect' | 'model' | undefined;
  /** The highest sequence number that the sender of a repeated CANCEL held when it was sent first. */
  readonly seen?: number | undefined;
  /** The refs of the SAYs to which the sender of a repeated CANCEL had no reply when it was sent first. */
  readonly says?: readonly string[] | undefined;
}

/**
 * The directory of a runtime: its sessions, none of which it opens. A method with a caller shows what this caller may do or read, by the rule of each session (machines/access.ts), and
 * rejects with `AccessDenied` where a session is named; a session that does not exist is denied in the same way.
 */
export interface SessionDirectory {
  /** Lists the sessions of the store, and those that are awake, in the order of their ids. `after` null: from the first one on. `elsewhere`: those that are awake on other hosts. */
  list(caller: Caller, query: SessionQuery, elsewhere?: ReadonlyMap<string, AwakeSession>): Promise<PageOfSessions>;
  /** Lists the turns that have not settled. */
  activeTurns(caller: Caller): Promise<ActiveTurns>;
  /** Lists the open approvals and questions. */
  questions(caller: Caller): Promise<OpenQuestions>;
  /** Lists the hosts that share the store, whoever asks: the door says who may. `reports`: what they say of themselves, first that of this host; left out: there is no bus. */
  hosts(caller: Caller, reports?: readonly HostReport[]): Promise<readonly DescribedHost[]>;
  /** Resolves with the session that is awake and has, or had, the node; null: none to which the caller may do this. */
  sessionOf(action: AccessAction, caller: Caller, node: NodeId): Promise<string | null>;
  /** Resolves with the ids of the live nodes above a node, from its parent on; null if it is not live. */
  ancestorsOf(session: string, node: NodeId): Promise<readonly NodeId[] | null>;
  /** Checks that the session exists and the caller may do this. */
  check(action: AccessAction, caller: Caller, session: string): Promise<void>;
  /** Resolves with facts of a session, in order. */
  readFacts(caller: Caller, session: string, page: FactPage): Promise<readonly SequencedFact[]>;
  /** Has a host of the cluster drain, and shut down then, whoever asks: the door says who may. `host`: its id, or its name. Left out: this host is in no cluster. */
  drainHost?(caller: Caller, host: string): Promise<DrainReply>;
  /** The sessions that are awake on this host. */
  readonly awakeHere: AwakeSessions;
}

/** A session as it was opened. */
export interface SessionInfo {
  readonly session: string;
  readonly kind: SessionKind;
  readonly policy: Policy;
}

/** The commands about speech: of bridges in voice sessions, or of speakers for what is spoken at their own connection. They reject as those of `Runtime`. */
export interface VoiceRuntime {
  /** Words of the caller that were recognized. */
  transcript(session: string, caller: Caller, request: TranscriptRequest): Promise<FinalWordsReply>;
  /** The caller speaks while the bot does: its speech pauses, its work runs on. */
  bargeIn(session: string, caller: Caller, request: BargeInRequest): Promise<BargeInReply>;
  /** How much of a text block was played: what was heard of it. */
  played(session: string, caller: Caller, request: PlayedRequest): Promise<PlayedReply>;
  /** Resolves with what passes sound on. It is loaded with the first call. */
  sound(): Promise<SoundRelay>;
}

/**
 * The commands of a runtime, each addressed by the id of its session. A session that does not exist is opened by its first command.
 * Arguments and results are plain values (the listener apart), so that a bus can carry them between hosts.
 *
 * Every command but `leave` rejects when the store fails, another host holds the session, or the runtime is closing. Those with a caller reject with
 * `AccessDenied`, by the rule of the session (machines/access.ts), and with `TooManyOpens`; a caller without a proof only where the session has a rule.
 */
export interface Runtime extends SessionArchive {
  /**
   * Opens a session: claims it in the store and closes what a dead process left open. `caller` owns the session if it is new. Left out: the program itself
   * opens it, whatever the rule, and nobody owns it. `options`: of a new session, which keeps them. Rejects with `SessionOptionsDiffer` if it is there with other ones.
   */
  open(session: string, caller?: Caller, options?: OpeningOptions): Promise<SessionInfo>;
  /** Replays facts, then passes on what happens; resolves when the replay is over. */
  join(session: string, caller: Caller, listener: SessionListener, from: ReplayFrom): Promise<void>;
  /** Removes the caller's connection from the session, if it had joined. `lost`: the socket broke. */
  leave(session: string, connection: string, how: LeaveReason): Promise<void>;
  /** `ref` is an idempotency key of the speaker: said again under it, the reply is the same turn. */
  say(session: string, caller: Caller, said: SayRequest): Promise<SayReply>;
  /** Opens a turn of the caller that goes on from what an interrupted one has completed. `ref` as of a SAY. */
  resume(session: string, caller: Caller, request: ResumeRequest): Promise<ResumeReply>;
  cancel(session: string, caller: Caller, request: CancelRequest): Promise<CancelReply>;
  /**
   * Resolves with the second half of a receipt when every node that it lists has settled; null when no acceptance has this id.
   * `cancel` is the id in `CancelAccepted`.
   */
  settled(session: string, cancel: string): Promise<CancelSettled | null>;
  /** Accepted, the fact (`approval_closed`, `question_closed`) is published to everybody in the session. */
  answer(session: string, caller: Caller, request: AnswerRequest): Promise<AnswerReply>;
  /**
   * Stores the bytes of images, sounds and files, which a SAY or nothing names after that; durable when it resolves with their ids. Rejects with
   * `BlobTooLarge` if they are above a limit.
   */
  storeBlobs(session: string, contents: readonly Uint8Array[]): Promise<readonly string[]>;
  /** Begins an empty session of the caller with a conversation that was held elsewhere. */
  importMessages(session: string, caller: Caller, request: ImportRequest): Promise<ImportReply>;
  /** Resolves with the bytes of a blob; null if the session has no such blob, or has it no more. */
  readBlob(session: string, blob: string): Promise<Uint8Array | null>;
  /** Names a speaker who may stop what is the caller's. Published to everybody in the session. */
  delegate(session: string, caller: Caller, request: DelegateRequest): Promise<DelegateReply>;
  /** Says that a speaker has joined or left the room of a bridge. `caller`: the speaker, `via` the bridge, which has joined the session. */
  setSpeaker(session: string, caller: Caller, change: RoomChange): Promise<RoomReply>;
  /** Calls that a bridge or a program runs itself. */
  readonly external: CallRuntime;
  /** What bridges report of voice sessions. */
  readonly voice: VoiceRuntime;
  /** Makes a speaker a member. `caller` null: the program itself invites. */
  invite(session: string, caller: Caller | null, request: InviteRequest): Promise<InviteReply>;
  /** Makes a speaker a member no more: the speaker's connections leave (`removed`). Its turns run on. Rejects for the owner. `caller` as for `invite`. */
  remove(session: string, caller: Caller | null, request: InviteRequest): Promise<RemoveReply>;
  /** Makes a link that lets one speaker in, once. `caller` as for `invite`. */
  createInvite(session: string, caller: Caller | null, request: CreateInviteRequest): Promise<CreateInviteReply>;
  /** Revokes such a link. `caller` as for `invite`. */
  revokeInvite(session: string, caller: Caller | null, request: RevokeInviteRequest): Promise<RevokeInviteReply>;
  /**
   * Makes the caller a member by the secret of a link. Wrong secrets have a rate for each speaker; they open nothing, write nothing, and do not show whether there is such a
   * session.
   */
  redeemInvite(session: string, caller: Caller, secret: string): Promise<RedeemReply>;
  /** Sets the timeout of a tool for the calls of the session that start from now on. `caller` as for `invite`. */
  setToolTimeout(session: string, caller: Caller | null, request: SetTimeoutRequest): Promise<SetTimeoutReply>;
  /** Gives the session a title. `caller` as for `invite`. */
  renameSession(session: string, caller: Caller | null, request: RenameRequest): Promise<RenameReply>;
  /** Lists what the MCP servers of the session offer, or reads one of it, for a SAY that follows. Nothing is logged. */
  readOffer(session: string, caller: Caller, query: OfferQuery): Promise<OfferReply>;
  /** What doors show of the sessions, beside their events. */
  directory(): Promise<SessionDirectory>;
  /** The live tree, parents before children. */
  nodes(session: string): Promise<readonly LiveNode[]>;
  /**
   * A shutdown: a CANCEL with cause `shutdown` for every session, then the wait for its settling, bounded by `shutdownMs`. `force`, at
   * once or in a second call, skips the grace of what runs.
   */
  close(how?: { readonly force?: boolean }): Promise<void>;
  /**
   * Gives the sessions of this host to the others of its cluster, before `close`: those at rest at once, the others when they come to rest. It opens no session any more that another host opens. Resolves
   * when none is busy any more, after `ms` milliseconds, or with `close`. Left out: this host is in no cluster.
   */
  drain?(ms: number): Promise<void>;
}
