// The services of one session that its workers may use, each narrow. A worker finds them by its actor system: see session-bindings.ts.
import type { Plan } from '../../../machines/cancel.ts';
import type { AnswerCode, RefusalCode } from '../../../machines/codes.ts';
import type { LinkInput } from '../../../machines/contracts.ts';
import type { DeferredInput } from '../../../machines/lanes.ts';
import type { DecidedCancel, DecidedPhrase } from '../../../machines/session.ts';
import type {
  AcknowledgeEvent,
  AnswerEvent,
  OpenCallEvent,
  SaidEvent,
  SessionEvent,
} from '../../../machines/session-events.ts';
import type { BargeInEvent, BargeInRefusal, SpeechEnd } from '../../../machines/speech.ts';
import type { StandingRule } from '../../../machines/standing.ts';
import type { ModelErrorRule, NodeId, Policy, SessionKind, Speaker, SpeakerId } from '../../../machines/vocabulary.ts';
import type { OfferSource } from '../contracts/offers.ts';
import type { ModelPrice } from '../contracts/price.ts';
import type { CancelCallReply, FolderKeyRules, Tool, TurnStatus } from '../contracts/tool.ts';
import type { Shields } from '../live/shields.ts';
import type { TextStream } from '../live/text-stream.ts';
import type { LiveTree } from '../live/tree.ts';
import type { MonotonicTime, Sources } from '../sources/sources.ts';
import type { KeyService } from '../tools/keys.ts';
import type { FactSource } from '../transcript/history.ts';
import type { Appender } from '../transcript/journal.ts';
import type { SessionBlobs } from '../transcript/session-blobs.ts';
import type { AcknowledgementRules } from './acknowledgement-rules.ts';
import type { FindProfile } from './agent-profile.ts';
import type { CallTracing, Extensions } from './extensions.ts';
import type { InspectorContract } from './runtime-inspector.ts';
import type { Limits } from './session-limits.ts';

/** The tools of a runtime, as far as a model call waits for them, and a setting names them. */
export interface ToolPresence {
  /** Resolves when the sources do not wait for their tools any longer; null: none of them waits. */
  waitForSources(): Promise<void> | null;
  /** Whether a tool of this name is there, or may come: that of a source that is away. */
  mayHave(name: string): boolean;
}

/** The services of a runtime, which its sessions share. A session with tools or folders of its own gets a copy with these replaced. */
export interface RuntimeServices {
  readonly sources: Sources;
  readonly limits: Limits;
  readonly extensions: Extensions;
  readonly profileOf: FindProfile;
  /** The resources and prompts that people may name in what they say. */
  readonly offers: OfferSource;
  readonly tools: ToolPresence;
  /** Closes the sources of tools that the session has of its own. Resolves when nothing of them is left; never rejects. */
  closeTools(): Promise<void>;
  /** The exclusive keys of the whole host. */
  readonly keys: KeyService;
  readonly folderKeys: FolderKeyRules;
  /** Absolute folders that calls may touch. */
  readonly roots: readonly string[];
  readonly protectedPaths: readonly string[];
  /** Patterns of the names of calls that a bridge or a program runs itself, and that need the yes of their owner. */
  readonly approve: readonly string[];
  /** Milliseconds that a call of the tool may run; 0: no limit, or as long as its arguments ask for. `askedMs`: what the call asks for; undefined: nothing. */
  timeoutOf(tool: Pick<Tool, 'name' | 'timeoutMs'>, askedMs?: number): number;
  /** Milliseconds that were set in the session for the next calls of a tool; undefined: none were. */
  timeoutSetFor(tool: string): number | undefined;
  /** Whether those who get the end of a turn get the words of a provider whose model call failed. */
  readonly modelErrors: ModelErrorRule;
  /** What a model call costs where its endpoint does not say so; undefined: not known. `model`: the endpoint's name of it. */
  priceOf(model: string): ModelPrice | undefined;
  /** The endpoint's names of the models that a SAY may ask for; the first one is that of a SAY that asks for none. Empty: none is known. */
  readonly models: readonly string[];
  readonly acknowledgement: AcknowledgementRules;
  readonly inspector?: InspectorContract | undefined;
  /** The spans of calls. Left out: there are none. */
  readonly tracing?: CallTracing | undefined;
  /** Reports a bug. */
  warn(message: string, error?: unknown): void;
}

/** The id and the kind of a session, and its rules of standing. */
export interface SessionIdentity {
  readonly id: string;
  readonly kind: SessionKind;
  /** The lowest value of `addressed`, from 0 to 1, at which words count as directed at the bot. */
  readonly addressedFrom?: number | undefined;
  readonly policy: Policy;
  /** The embedder's own rule of standing. */
  readonly standing?: StandingRule | undefined;
}

/** Posts to the session's inbox: each message is handled on a fresh stack. */
export interface WorkerInbox {
  /** Passes an event to the session's machine. */
  deliver(event: SessionEvent): void;
  /** Makes a detached agent a turn under the session. */
  spawn(turn: LinkInput): void;
  /** Posts a CANCEL with cause `deadline`. It is dropped if, when it is handled, the node does not run any more or `isArmed` returns false. */
  expire(node: NodeId, reason: string, isArmed?: () => boolean): void;
  /** Records the timeout of a call as `tool_timeout`, then does the same as `expire`. */
  timeOut(node: NodeId, ms: number): void;
  /** Posts a CANCEL of `earlier` with cause `superseded`, as `heir` replaces it. It is dropped if, when it is handled, one of the two does not run any more. */
  supersede(earlier: NodeId, heir: NodeId, by: Speaker): void;
}

/** Cancels a node for a model that works for the same speaker. `from`: the call that asks. */
export interface CallCanceller {
  cancelCall(target: NodeId, from: NodeId, reason: string): Promise<CancelCallReply>;
}

/** The fields of a live node that the count of participants reads. */
export interface OwnedNode {
  readonly owner: SpeakerId;
  readonly addedAt: MonotonicTime;
}

/** Counts the different speakers in the session now. `also`: a speaker who is counted even if not present; null: none. */
export interface ParticipantCount {
  countParticipants(also: SpeakerId | null, nodes: Iterable<OwnedNode>): number;
}

/** Receives the progress of acknowledgements, which have to start in time. */
export interface AcknowledgementProgress {
  /** Notes that the turn of an acknowledgement has text to show. */
  noteText(turn: NodeId): void;
}

/** A call that a bridge or a program runs itself. */
export interface OpenedCall {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  /** The tool that stands for it. */
  readonly tool: Tool;
  /** Its arguments, as a JSON text. */
  readonly input: string;
  readonly timeoutMs: number | undefined;
}

/** The calls that bridges and programs run themselves. */
export interface ExternalCallSource {
  /** Finds such a call by its id; null: it is none, or its turn is gone. */
  find(call: NodeId): OpenedCall | null;
}

export interface TurnStatusReader {
  statusOf(turn: NodeId): TurnStatus;
}

export interface Services {
  readonly runtime: RuntimeServices;
  readonly session: SessionIdentity;
  readonly inbox: WorkerInbox;
  readonly tree: LiveTree;
  readonly text: TextStream;
  readonly shields: Shields;
  readonly journal: Appender;
  readonly history: FactSource;
  readonly blobs: Pick<SessionBlobs, 'storeContent' | 'read'>;
  readonly presence: ParticipantCount;
  readonly cancels: CallCanceller;
  readonly status: TurnStatusReader;
  readonly external: ExternalCallSource;
  readonly acknowledgements: AcknowledgementProgress;
}

/** The actions and the worker that the session's machine asks for: see machines/session.ts. */
export interface SessionActions {
  readonly cancels: SessionCancelActions;
  recover(): Promise<void>;
  confirmSay(event: SaidEvent): void;
  confirmCall(event: OpenCallEvent): void;
  refuseCall(event: OpenCallEvent): void;
  confirmInput(input: DeferredInput): void;
  queueInput(input: DeferredInput): void;
  openAcknowledgement(event: AcknowledgeEvent): void;
  refuseSay(event: SaidEvent, code: RefusalCode): void;
  closeQuestion(event: AnswerEvent): void;
  refuseAnswer(event: AnswerEvent, code: AnswerCode): void;
  unwindCrash(node: NodeId): void;
}

/** The actions of the session's machine that follow from a CANCEL. */
export interface SessionCancelActions {
  accept(decided: DecidedCancel): void;
  refuse(decided: DecidedCancel): void;
  stopDeferred(plan: Plan): void;
  acceptPhrase(phrase: DecidedPhrase): void;
  recordPhrase(phrase: DecidedPhrase): void;
}

/** The actions that the machine of the bot's speech asks for: see machines/speech.ts. */
export interface SpeechActions {
  pauseSpeech(event: BargeInEvent): void;
  refuseBargeIn(event: BargeInEvent, result: BargeInRefusal): void;
  armResume(): void;
  disarmResume(): void;
  resumeSpeech(turn: NodeId): void;
  cutSpeech(end: SpeechEnd): void;
  stopSpeech(end: SpeechEnd): void;
}
