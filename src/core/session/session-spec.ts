// The rules and the observers of a session, which the configuration gives when it is opened.

import type { AccessAction, AccessRule, BuiltinAccess } from '../../../machines/access.ts';
import type { RecordedFact } from '../../../machines/facts.ts';
import { defaultPolicyOf, type StandingRule } from '../../../machines/standing.ts';
import type {
  AcknowledgeMode,
  NodeId,
  NodeKind,
  OutcomeKind,
  Policy,
  ResumePhrases,
  SessionKind,
  SpeakerId,
  WhileRunning,
} from '../../../machines/vocabulary.ts';
import { bargeInRules, defaultResumePhrases, resumePhraseRules } from '../../../machines/vocabulary.ts';
import type { VoiceSettings } from '../../../machines/voice.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { Tool } from '../contracts/tool.ts';
import type { ToolSource } from '../contracts/tool-source.ts';
import { phraseProblem, type StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import type { MonotonicTime } from '../sources/sources.ts';
import { assertAcknowledgeMode } from '../workers/acknowledgement-rules.ts';
import type { Limits, SessionLimits } from '../workers/session-limits.ts';
import type { BargeInResult } from './voice-api.ts';

/** The rules of a session. Read from the configuration each time that the session is opened. */
export interface SessionSpec {
  readonly kind: SessionKind;
  readonly policy: Policy;
  /** From which confidence (0 to 1) on words count as directed at the bot. Default: `defaultAddressedFrom`. */
  readonly addressedFrom?: number | undefined;
  /** The rules of a voice session: when a transcript counts, and who may interrupt the bot's speech. Default: `defaultVoiceRules`, also for single rules that are left out. */
  readonly voice?: VoiceSettings | undefined;
  /** What becomes of a speaker's words while a turn of the same speaker runs. Default: `queue`. `interrupt` is `queue` in a session that is not `interruptible`. */
  readonly whileRunning?: WhileRunning | undefined;
  /**
   * The embedder's own rule of standing. It gets `policy` as an argument, which clients see in `joined` as well. It must be pure and fast: it is
   * called for each live node, in the tick of the decision, but not for the CANCEL of an `emergency`. An exception is reported to `warn`, and refuses (`not_allowed`).
   */
  readonly standing?: StandingRule | undefined;
  /**
   * Who may open, read and use the session: a rule built in, or the embedder's own, which must be pure and fast. Default: `members` for a speaker that a
   * token has proven, `open` for any other.
   */
  readonly access?: BuiltinAccess | AccessRule | undefined;
  /**
   * The words that count as a stop phrase. Give the same object for every session: its grammar is compiled once. Default: all languages of Belay, and its name.
   */
  readonly stopPhrases?: StopPhraseOptions | undefined;
  /**
   * Whether words like "continue" resume the turn of their speaker that was stopped. Default: the rule that the session was opened with, which is `on` for a new one,
   * and `off` for one of a version that had no rule.
   */
  readonly resumePhrases?: ResumePhrases | undefined;
  /** How a stop is acknowledged to the person who has caused it. Default: `acknowledge` of the runtime, `on`. */
  readonly acknowledge?: AcknowledgeMode | undefined;
  /** Whether a turn is cancelled when the last connection of its owner is lost. */
  readonly onDisconnect: 'cancel' | 'continue';
  /** Whether a CANCEL stops a turn at once. False: the turn runs on, shown and kept, until it has ended or `shieldMs` are over; only then it is stopped. */
  readonly interruptible: boolean;
  /** The shield of a turn that is not interruptible, in milliseconds; 0: until it ends. Default: `limits.shieldMs`. */
  readonly shieldMs?: number | undefined;
  /** Limits of the session, instead of those of the runtime; not all of them may be set here. */
  readonly limits?: Partial<SessionLimits> | undefined;
  /** The tools of the session, instead of those of the runtime. */
  readonly tools?: readonly Tool[] | undefined;
  /** Sources of tools, instead of those of the runtime. One of this session alone (`mcpServersOnDemand`) is made anew in each call, and ends with the session. */
  readonly toolSources?: readonly ToolSource[] | undefined;
  /** Names of the calls that a bridge or a program runs itself and that need the yes of their owner, instead of those of the runtime. */
  readonly approve?: readonly string[] | undefined;
  /** Absolute folders that the calls of the session may touch, instead of those of the runtime. */
  readonly roots?: readonly string[] | undefined;
}

/** A node that an observer is notified of. */
interface ObservedNode {
  readonly session: string;
  readonly node: NodeId;
  readonly kind: NodeKind;
}

export interface NodeStarted extends ObservedNode {
  readonly owner: SpeakerId;
  /** The sequence number of the fact that says so. */
  readonly seq: number;
}

export interface NodeEnded extends ObservedNode {
  /** `cancelled` and `failed` differ: see docs/cancellation.md. */
  readonly outcome: OutcomeKind;
  /**
   * The sequence number of the fact that says so. Null: the session ended first, because its store failed, say. The fact comes with its
   * next opening, without another notification.
   */
  readonly seq: number | null;
}

/** A connection has joined a session. */
export interface SpeakerJoined {
  readonly session: string;
  readonly speaker: SpeakerId;
  readonly connection: string;
}

/** A command was refused. The refusal of a CANCEL is a fact instead, `cancel_refused`. */
export interface CommandRefusal {
  readonly session: string;
  /** Who has sent the command: also where a bridge speaks for another one. */
  readonly speaker: SpeakerId;
  readonly action: AccessAction;
  /** From docs/errors.md. */
  readonly code: string;
}

/** What a dead host had left, and was closed together: at the start, after the death of a host that shares the store, or when a session was opened. */
export interface Recovered {
  /** Sessions in which something was open. */
  readonly sessions: number;
  /** Turns that were closed. */
  readonly turns: number;
  /** Processes that were alive and have ended. */
  readonly processes: number;
}

export interface StopAcknowledged {
  readonly session: string;
  /** The id of the receipt. */
  readonly cancel: string;
  /** The speaker who has caused the stop. */
  readonly to: SpeakerId;
  /** `text`: by the first words of the model. `reaction`: by an emoji. `earcon`: by a sound. */
  readonly how: 'text' | 'reaction' | 'earcon';
  /** From the acceptance of the CANCEL, in milliseconds. */
  readonly ms: number;
  /** The sequence number of the fact that says so. */
  readonly seq: number;
}

/** The result of a transcript. `unsure`: said, but too unsure to stop anything. `dropped`: it is likely that nobody spoke, or there are no words. */
export type TranscriptResult = 'said' | 'unsure' | 'partial' | 'dropped';

/** Something about the voice of a session that no fact says: for metrics. */
export type VoiceEvent =
  /** The result of a BARGE_IN. */
  | { readonly type: 'barge_in'; readonly result: BargeInResult }
  /** Speech that was paused goes on: nobody has said anything. */
  | { readonly type: 'false_interruption' }
  /** Speech was cut for good. */
  | { readonly type: 'speech_cut'; readonly why: 'barge_in' | 'cancel' }
  | { readonly type: 'transcript'; readonly result: TranscriptResult }
  /** Speech that was stopped is silent. `ms`: from the stop to the last report that more of it was played, or to the first report if nothing more was. */
  | { readonly type: 'silent'; readonly ms: number };

/** When a fact was appended, and when it was committed, by the clock of the runtime that does not step. */
export interface FactMoments {
  readonly appendedAt: MonotonicTime;
  readonly committedAt: MonotonicTime;
}

/**
 * Is notified of every node on every path: once when it has started and once when it has ended, both after the commit. Over a crash of the
 * process it is notified at least once: of the end of what the crash has left open, and from its `cursor` on.
 */
export interface Observer {
  /** Whether it reports the calls that did not stop in time: then `warn` of the runtime is not called for them. */
  readonly reportsAbandoned?: boolean;
  /**
   * The sequence number of the last fact of the session that the observer has handled, from its own store; null: it does not know the
   * session. Asked when the session is opened: everything after it is notified again, before what is new. Left out: only what is new.
   */
  cursor?(session: string): number | null;
  started?(node: NodeStarted): void;
  ended?(node: NodeEnded): void;
  /** A person who has caused a stop has got the acknowledgement: once for each receipt that is acknowledged, when the first words or the sign for them are there. */
  acknowledged?(stop: StopAcknowledged): void;
  /** Every fact of every session, after its commit. `moments`: for durations; null: an earlier process has appended it. */
  fact?(session: string, seq: number, fact: RecordedFact, moments: FactMoments | null): void;
  /** A JOIN that was accepted: once for each. */
  joined?(joined: SpeakerJoined): void;
  /** Something about the voice of a session that no fact says. */
  voice?(session: string, event: VoiceEvent): void;
  /** A command that was refused, CANCELs apart: once for each. */
  refused?(refusal: CommandRefusal): void;
  /** Receives what was recovered, once for all of it, if there was something. */
  recovered?(recovered: Recovered): void;
  /** A session was deleted: a cursor of it counts no more. */
  deleted?(session: string): void;
}

/** The limit of the times of a voice session, in milliseconds. */
const maxVoiceMs = 60_000;

/** The rules of a session for which the configuration says nothing. */
const defaults = { kind: 'text', onDisconnect: 'continue', interruptible: true } as const;

/** Returns the rules of a session, with the defaults for what the configuration leaves out. Throws a RangeError if one of them is wrong. */
export function sessionSpecOf(given: Partial<SessionSpec> = {}): SessionSpec {
  const { addressedFrom, stopPhrases } = given;
  if (addressedFrom !== undefined && !(addressedFrom >= 0 && addressedFrom <= 1))
    throw new RangeError(`addressedFrom of the session must be from 0 to 1, and is ${addressedFrom}.`);
  assertVoiceRules(given.voice ?? {});
  for (const phrase of [...(stopPhrases?.names ?? []), ...(stopPhrases?.extra ?? [])]) {
    const problem = phraseProblem(phrase);
    if (problem !== null) throw new RangeError(`stopPhrases of the session: ${JSON.stringify(phrase)} ${problem}.`);
  }
  const { kind = defaults.kind, ...rest } = dropUndefined({ ...given });
  assertAcknowledgeMode(given.acknowledge, 'acknowledge of the session');
  const { resumePhrases = defaultResumePhrases } = given;
  if (!resumePhraseRules.includes(resumePhrases))
    throw new RangeError(
      `resumePhrases of the session must be ${resumePhraseRules.join(' or ')}, and is ${JSON.stringify(resumePhrases)}.`,
    );
  return { ...defaults, policy: defaultPolicyOf(kind), ...rest, kind };
}

function assertVoiceRules(voice: VoiceSettings): void {
  for (const name of ['confidenceFrom', 'noSpeechFrom'] as const) {
    const { [name]: share = 0 } = voice;
    if (!(share >= 0 && share <= 1))
      throw new RangeError(`voice.${name} of the session must be from 0 to 1, and is ${share}.`);
  }
  for (const name of ['minBargeInMs', 'falseInterruptionMs'] as const) {
    const { [name]: ms = 0 } = voice;
    if (!Number.isInteger(ms) || ms < 0 || ms > maxVoiceMs)
      throw new RangeError(`voice.${name} of the session must be an integer from 0 to ${maxVoiceMs}, and is ${ms}.`);
  }
  const { bargeIn = 'none', stopSound = false } = voice;
  if (!bargeInRules.includes(bargeIn))
    throw new RangeError(`voice.bargeIn of the session must be one of ${bargeInRules.join(', ')}, and is ${bargeIn}.`);
  if (typeof stopSound !== 'boolean')
    throw new RangeError(`voice.stopSound of the session must be true or false, and is ${JSON.stringify(stopSound)}.`);
}

/**
 * Checks the shield of a session: a shutdown waits for one that has an end of its own, and then for the longest stop budget of a call. Throws
 * a RangeError.
 */
export function assertShield(shieldMs: number | undefined, limits: Limits, hasOutsideAgents: boolean): void {
  const { toolCancelMs, agentCancelMs, shutdownMs } = limits;
  const budget = hasOutsideAgents && agentCancelMs > toolCancelMs ? 'agentCancelMs' : 'toolCancelMs';
  if (shieldMs === undefined || shieldMs === 0 || shieldMs + limits[budget] < shutdownMs) return;
  const sum = `${shieldMs} + ${limits[budget]}`;
  throw new RangeError(
    `shieldMs of the session + limits.${budget} (${sum}) must be less than limits.shutdownMs (${shutdownMs})`,
  );
}
