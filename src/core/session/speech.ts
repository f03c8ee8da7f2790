// The bot's speech in a voice session: pauses, resumes and cuts it, and tells its bridges at once.
//
// 1. Its machine decides (machines/speech.ts); what was published and played is in live/spoken-text.ts.
// 2. `speech_stop` is sent in the tick of the decision: it waits for no commit.
import { type Actor, type AnyActorRef, createActor } from 'xstate';
import type { CancelCommand, JudgedView } from '../../../machines/cancel.ts';
import { decisionFact } from '../../../machines/cancel.ts';
import type { SequencedFact } from '../../../machines/facts.ts';
import type { SpeechChange } from '../../../machines/live-view.ts';
import type {
  BargeInEvent,
  BargeInRefusal,
  SpeechEnd,
  SpeechEvent,
  SpokenTurn,
  speechMachine,
} from '../../../machines/speech.ts';
import {
  defaultAddressedFrom,
  type Evidence,
  type StandingNode,
  type StandingRule,
  standing,
} from '../../../machines/standing.ts';
import type { NodeId, Policy, Speaker, SpeakerId } from '../../../machines/vocabulary.ts';
import type { VoiceRules } from '../../../machines/voice.ts';
import type { HeardBlock } from '../../../machines/voice-facts.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { OpenedTurn, SpokenText } from '../live/spoken-text.ts';
import type { TreeObserver } from '../live/tree.ts';
import { targetOf } from '../receipt/cancel-target.ts';
import { addMs } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';
import type { Appender } from '../transcript/journal.ts';
import type { SpeechActions } from '../workers/services.ts';
import { bindSpeechSystem, inspectSpeech } from '../workers/session-bindings.ts';
import { isWithin, type Scope } from './cancel-scope.ts';
import type { Delegations } from './delegations.ts';
import type { BargeInMessage } from './inbox-messages.ts';
import type { BargeInReply, PlayedReply, PlayedRequest, VoiceState } from './voice-api.ts';

/** Sends notices to everybody who has joined. */
export interface SpeechAudience {
  speech(change: SpeechChange): void;
}

/** A CANCEL that may be for speech whose turn has ended. */
export interface SpokenCancel extends Pick<CancelCommand, 'by' | 'via' | 'target'> {
  /** The root turns that it reaches; null: all. */
  readonly scope: Scope | null;
  readonly evidence: Evidence;
}

export interface SpeechOptions {
  /** The chart with its actions. */
  readonly logic: typeof speechMachine;
  readonly rules: VoiceRules;
  readonly addressedFrom: number | undefined;
  readonly policy: Policy;
  readonly standing: StandingRule | undefined;
  readonly spoken: SpokenText;
  readonly delegations: Delegations;
  readonly journal: Appender;
  readonly audience: SpeechAudience;
  readonly clock: Clock;
  /** Posts to the inbox of the session: an event is sent on a fresh stack. */
  post(event: SpeechEvent): void;
}

/** The end of a turn's speech, and until when a bridge may say that it had played more of it by then. */
interface RecentCut {
  readonly end: SpeechEnd;
  readonly until: MonotonicTime;
}

export class Speech implements TreeObserver, SpeechActions {
  readonly #options: SpeechOptions;
  readonly #actor: Actor<typeof speechMachine>;
  readonly #bargeIns = new Map<string, (reply: BargeInReply) => void>();
  readonly #recentCuts = new Map<NodeId, RecentCut>();
  #disarm: Disarm | null = null;

  constructor(options: SpeechOptions) {
    this.#options = options;
    const { logic, rules } = options;
    this.#actor = createActor(logic, { input: { rules } });
    bindSpeechSystem(this.#actor, this);
    this.#actor.start();
  }

  /** Shows its machine to the inspector of the runtime, below the machine of the session. */
  inspectBelow(session: AnyActorRef): void {
    inspectSpeech(this.#actor, session);
  }

  get rules(): VoiceRules {
    return this.#options.rules;
  }

  /** Whether a turn is spoken just now, or is paused. */
  get isSpeaking(): boolean {
    return this.#paused !== null || this.#options.spoken.spoken().length > 0;
  }

  /** What a bridge that joins has to know. */
  get state(): VoiceState {
    const { rules, addressedFrom = defaultAddressedFrom } = this.#options;
    return { ...rules, addressedFrom, paused: this.#paused?.turn ?? null };
  }

  /** Commands without a reply. */
  get size(): number {
    return this.#bargeIns.size;
  }

  // -- messages of the inbox

  /** Handles a BARGE_IN; `reply` receives what became of it. */
  bargeIn({ bargeIn, reply }: BargeInMessage): void {
    this.#bargeIns.set(bargeIn.id, reply);
    const spoken = this.#paused ?? this.#options.spoken.currentFor(bargeIn.by.id);
    this.#actor.send({ ...bargeIn, spoken });
  }

  handle(event: SpeechEvent): void {
    this.#actor.send(event);
  }

  /** Notes what a bridge has played. Shortly after speech was cut it says how much it had played by then. */
  notePlayed(request: PlayedRequest): PlayedReply {
    const { turn, index } = request;
    const { spoken, clock } = this.#options;
    const heard = spoken.notePlayed(request);
    if (heard === null) return { type: 'unknown_target', target: turn };
    const cut = this.#recentCuts.get(turn);
    if (heard.isNew && cut && clock.elapsed() < cut.until) this.#record(cut.end, spoken.cutBlocks(turn));
    return { type: 'played', turn, index, offset: heard.offset };
  }

  /** Stops the speech of turns that have ended, as far as the speaker has standing over them: a CANCEL finds no node of theirs. */
  cancelSpoken(cancel: SpokenCancel): void {
    const { spoken, policy, standing: customRule, journal } = this.#options;
    const { by, evidence } = cancel;
    const targets = spoken.spoken().filter(({ turn }) => spoken.hasEnded(turn));
    const verdicts = targets.filter((one) => isTarget(cancel, one)).map((one) => this.#judge(one, by, evidence));
    if (verdicts.length === 0) return;
    const decision = decisionFact(cancel, undefined, { evidence, policy, customRule, verdicts });
    if (decision) void journal.append([decision]);
    for (const { node, verdict } of verdicts) if (verdict.may) this.#cancel(node.id, by?.id ?? null);
  }

  /** Reads a fact of the session, in the tick of its append. */
  onAppended(event: SequencedFact): void {
    this.#options.spoken.onAppended(event);
  }

  /** A turn that is cut is not spoken any more, in the same tick. */
  nodeChanged({ id, kind, parent, cut }: NodeEntry): void {
    if (kind === 'turn' && parent === null) this.#cancel(id, cut?.by ?? null);
  }

  close(): void {
    this.#disarm?.();
    this.#actor.stop();
    this.#bargeIns.clear();
  }

  // -- the actions of its machine

  pauseSpeech({ id, by, spoken: current }: BargeInEvent): void {
    if (current === null) return;
    const { turn } = current;
    this.#options.spoken.pause(turn);
    this.#options.audience.speech({ type: 'speech_stop', turn, why: 'barge_in', by: by.id });
    this.#reply(id, { type: 'barge_in', result: 'paused', turn });
  }

  refuseBargeIn({ id }: BargeInEvent, result: BargeInRefusal): void {
    this.#reply(id, { type: 'barge_in', result });
  }

  armResume(): void {
    const { clock, rules, post } = this.#options;
    this.#disarm = clock.after(rules.falseInterruptionMs, () => post({ type: 'FALSE_INTERRUPTION' }));
  }

  disarmResume(): void {
    this.#disarm?.();
  }

  resumeSpeech(turn: NodeId): void {
    this.#options.spoken.resume(turn);
    this.#options.audience.speech({ type: 'speech_resume', turn });
  }

  /** The model runs on: what it adds to the block that streams is not heard. */
  cutSpeech(end: SpeechEnd): void {
    this.#cut(end, { streamsOn: true });
  }

  stopSpeech(end: SpeechEnd): void {
    this.#options.audience.speech({ type: 'speech_stop', ...end });
    this.#cut(end, { streamsOn: false });
  }

  get #paused(): SpokenTurn | null {
    return this.#actor.getSnapshot().context.interruption?.spoken ?? null;
  }

  #cancel(turn: NodeId, by: SpeakerId | null): void {
    this.#actor.send({ type: 'CANCEL', turn, by, isSpoken: this.#options.spoken.isSpoken(turn) });
  }

  #judge({ turn, owner }: SpokenTurn, by: Speaker | null, evidence: Evidence): JudgedView {
    const { policy, standing: rule, delegations } = this.#options;
    const isDelegated = by !== null && delegations.covers(owner, by.id, [{ id: turn }]);
    const node: StandingNode = { id: turn, kind: 'turn', owner, addressee: null, isDelegated };
    return { node, verdict: standing(node, by, evidence, policy, rule) };
  }

  #cut(end: SpeechEnd, how: { readonly streamsOn: boolean }): void {
    const { spoken, clock, rules } = this.#options;
    const now = clock.elapsed();
    for (const [turn, { until }] of this.#recentCuts) if (until <= now) this.#recentCuts.delete(turn);
    this.#recentCuts.set(end.turn, { end, until: addMs(now, rules.falseInterruptionMs) });
    this.#record(end, spoken.cut(end.turn, how));
  }

  #record({ turn, why, by }: SpeechEnd, heard: readonly HeardBlock[]): void {
    if (heard.length > 0) void this.#options.journal.append([{ type: 'speech_cut', turn, why, by, heard }]);
  }

  #reply(id: string, reply: BargeInReply): void {
    this.#bargeIns.get(id)?.(reply);
    this.#bargeIns.delete(id);
  }
}

/** Whether a CANCEL is for a turn that is spoken. */
function isTarget({ target, by, scope }: SpokenCancel, { turn, owner, openedAt }: OpenedTurn): boolean {
  if (scope !== null && !isWithin(scope, { id: turn, enteredAt: openedAt })) return false;
  return (
    target === 'session' ||
    target === turn ||
    target === targetOf('lane', turn) ||
    (target === 'mine' && owner === by?.id)
  );
}
