// The bot's speech in a voice session: pauses, resumes and cuts it, and notifies its bridges at once.
//
// 1. Its machine decides (machines/speech.ts); what was published and played is in live/spoken-text.ts.
// 2. What is spoken of a turn is a node of the live tree, from its first published text until all of it was played, or it is cut. A CANCEL finds it there.
// 3. What a room hears has one floor (floor.ts): speech that comes meanwhile waits. A connection of a speaker's own plays one after the other by itself.
// 4. `speech_stop`, `speech_wait` and `speech_start` are sent in the tick of the decision: they wait for no commit.
import { type Actor, type AnyActorRef, createActor } from 'xstate';
import { outcomeOf } from '../../../machines/cancel.ts';
import { ruleOfCause } from '../../../machines/cause-rules.ts';
import type { CancelAccepted, Fact, FactOf } from '../../../machines/facts.ts';
import type { SpeechChange } from '../../../machines/live-view.ts';
import type {
  BargeInEvent,
  BargeInRefusal,
  SpeechEnd,
  SpeechEvent,
  SpokenTurn,
  speechMachine,
} from '../../../machines/speech.ts';
import { defaultAddressedFrom } from '../../../machines/standing.ts';
import type { NodeId, OutcomeKind } from '../../../machines/vocabulary.ts';
import type { VoiceRules } from '../../../machines/voice.ts';
import type { HeardBlock } from '../../../machines/voice-facts.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { SpokenText } from '../live/spoken-text.ts';
import type { LiveTree, TreeObserver } from '../live/tree.ts';
import { listedNodes } from '../receipt/receipt.ts';
import { msBetween } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, Ids, MonotonicTime } from '../sources/sources.ts';
import { type Appender, type FactHandlers, handlersOf, type Projection } from '../transcript/journal.ts';
import type { SpeechActions } from '../workers/services.ts';
import { bindSpeechSystem, inspectSpeech } from '../workers/session-bindings.ts';
import { Floor, type OpenSpeech } from './floor.ts';
import type { BargeInMessage, FloorEvent } from './inbox-messages.ts';
import type { TranscriptResult, VoiceEvent } from './session-spec.ts';
import type { BargeInReply, PlayedReply, PlayedRequest, VoiceState } from './voice-api.ts';

/** Sends notices to everybody who has joined. */
export interface SpeechAudience {
  speech(change: SpeechChange): void;
}

export interface SpeechOptions {
  /** The chart with its actions. */
  readonly logic: typeof speechMachine;
  readonly rules: VoiceRules;
  readonly addressedFrom: number | undefined;
  readonly spoken: SpokenText;
  readonly tree: LiveTree;
  readonly ids: Ids;
  readonly journal: Appender;
  readonly audience: SpeechAudience;
  readonly clock: Clock;
  /** `one`: other speech waits while something is spoken. `each`: who plays it decides. */
  readonly floor: 'one' | 'each';
  /** Milliseconds that the words after a stop may take: the floor is kept for them. 0: there are none. */
  readonly acknowledgeMs: number;
  /** Posts to the inbox of the session: an event is sent on a fresh stack. */
  post(event: SpeechEvent | FloorEvent): void;
  /** Notifies the observers of what no fact says. */
  observe(event: VoiceEvent): void;
}

/** The end of a turn's speech. While it is kept, a bridge may say that it had played more of it by then. */
interface RecentCut {
  readonly end: SpeechEnd;
  readonly at: MonotonicTime;
  /** The time of the last report that more was played, or of the first that no more was; null: none has come. */
  silentAt: MonotonicTime | null;
  /** Ends the timer that forgets it. */
  readonly disarm: Disarm;
}

/** The facts that say how much there is to be spoken. */
const textFacts = ['turn_opened', 'model_started', 'model_ended', 'turn_ended'] as const;

export class Speech implements Projection, TreeObserver, SpeechActions {
  static readonly #handlers: FactHandlers<Speech> = {
    ...handlersOf(textFacts, function (this: Speech, fact, seq) {
      this.#options.spoken.onAppended({ seq, fact });
      this.#noteTurn(fact);
      return this.#isOver(fact.turn) ? this.#remove(fact.turn, 'completed') : this.#passFloor();
    }),
    cancel_accepted(fact) {
      const { cancel, by } = fact;
      if (by !== null && this.#stopsFloor(fact)) this.#floor.keepFor({ cancel, by });
      if (by !== null && this.#isHeardStop(fact)) this.#options.audience.speech({ type: 'stop_sound', cancel, by });
      return [];
    },
    ...handlersOf(['reaction', 'earcon'], function (this: Speech, { cancel }) {
      this.#floor.release(cancel);
      return this.#passFloor();
    }),
  };
  static readonly #committedHandlers: FactHandlers<Speech> = {
    cancel_settled({ cancel }) {
      this.#floor.noteSettled(cancel);
      return [];
    },
  };
  readonly appended = Speech.#handlers;
  readonly committed = Speech.#committedHandlers;
  readonly #options: SpeechOptions;
  readonly #actor: Actor<typeof speechMachine>;
  readonly #bargeIns = new Map<string, (reply: BargeInReply) => void>();
  readonly #recentCuts = new Map<NodeId, RecentCut>();
  readonly #floor: Floor;
  /** `over`: the session closes, and nothing is spoken any more. */
  #state: 'speaking' | 'over' = 'speaking';
  #disarm: Disarm | null = null;

  constructor(options: SpeechOptions) {
    this.#options = options;
    const { logic, rules, clock, acknowledgeMs: keepMs, post } = options;
    this.#floor = new Floor({ clock, keepMs, onDue: () => post({ type: 'FLOOR' }) });
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
    return { ...rules, addressedFrom, paused: this.#paused?.turn ?? null, queued: this.#floor.queue };
  }

  /** Commands without a reply. */
  get size(): number {
    return this.#bargeIns.size;
  }

  /** The nodes of speech in the live tree. */
  get openNodes(): number {
    return this.#floor.size;
  }

  // -- messages of the inbox

  /** Handles a BARGE_IN; `reply` receives what became of it. */
  bargeIn({ bargeIn, reply }: BargeInMessage): void {
    this.#bargeIns.set(bargeIn.id, reply);
    const spoken = this.#paused ?? this.#options.spoken.currentFor(bargeIn.by.id, this.#floor.queue);
    this.#actor.send({ ...bargeIn, spoken });
  }

  handle(event: SpeechEvent | FloorEvent): void {
    if (event.type === 'FLOOR') this.#checkFloor();
    else this.#actor.send(event);
  }

  /** Notes what a bridge has played. Shortly after speech was cut it says how much it had played by then. */
  notePlayed(request: PlayedRequest): PlayedReply {
    const { turn, index } = request;
    const { spoken, clock } = this.#options;
    const heard = spoken.notePlayed(request);
    if (heard === null) return { type: 'unknown_target', target: turn };
    const cut = this.#recentCuts.get(turn);
    if (cut && (heard.isNew || cut.silentAt === null)) cut.silentAt = clock.elapsed();
    if (cut && heard.isNew) this.#record(cut.end, spoken.cutBlocks(turn));
    // a report that says nothing new neither keeps the floor nor gets it back
    if (heard.isNew || heard.isFirst || this.#isOver(turn)) this.#follow(turn);
    const open = this.#floor.find(turn);
    if (open?.state === 'queued' && heard.offset > 0) void this.#options.journal.append([this.#giveFloor(open)]);
    return { type: 'played', turn, index, offset: heard.offset };
  }

  /** Text of a turn is published: it is spoken from now on, or waits. */
  onPublished(turn: NodeId): void {
    this.#follow(turn);
  }

  /** Speech that is cut is not played any more, in the same tick. */
  nodeChanged({ id, kind, parent, cut, ancestors }: NodeEntry): void {
    const turn = kind === 'speech' ? (ancestors[0]?.id ?? id) : id;
    const isSpoken = kind === 'speech' ? this.#floor.find(turn)?.entry.id === id : this.#floor.find(turn) !== undefined;
    // of a turn without speech only a pause may be left
    if (!cut || (kind === 'speech' ? !isSpoken : kind !== 'turn' || parent !== null || isSpoken)) return;
    this.#actor.send({ type: 'CANCEL', turn, by: cut.by, isSpoken });
    if (isSpoken) this.#endSpeech(turn, outcomeOf(cut));
    else this.#options.spoken.cut(turn, { streamsOn: false }); // nothing of it was published: a late PLAYED opens no speech
  }

  /** Counts a transcript. */
  noteTranscript(result: TranscriptResult): void {
    this.#options.observe({ type: 'transcript', result });
  }

  /** Ends all speech: the session closes, and nobody plays it. */
  endAll(): void {
    this.#state = 'over';
    for (const turn of this.#floor.turns) this.#endSpeech(turn, 'cancelled');
  }

  close(): void {
    this.#disarm?.();
    for (const turn of [...this.#recentCuts.keys()]) this.#forgetCut(turn);
    this.#floor.close();
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
    this.#options.observe({ type: 'false_interruption' });
    this.#follow(turn);
  }

  /** The model runs on: what it adds to the block that streams is not heard. */
  cutSpeech(end: SpeechEnd): void {
    this.#cut(end, { streamsOn: true });
    this.#endSpeech(end.turn, 'superseded');
  }

  stopSpeech(end: SpeechEnd): void {
    this.#options.audience.speech({ type: 'speech_stop', ...end });
    this.#cut(end, { streamsOn: false });
  }

  get #paused(): SpokenTurn | null {
    return this.#actor.getSnapshot().context.interruption?.spoken ?? null;
  }

  /** Whether nothing is left to be played of speech that is open. */
  #isOver(turn: NodeId): boolean {
    return this.#floor.find(turn) !== undefined && !this.#options.spoken.isSpoken(turn);
  }

  /** Opens the speech of a turn of which there is something to be spoken, or ends it when all of that was played. */
  #follow(turn: NodeId): void {
    const { spoken, tree } = this.#options;
    this.#floor.noteActivity(turn);
    if (this.#isOver(turn)) return this.#endSpeech(turn, 'completed');
    const isNew = !this.#floor.find(turn) && this.#state === 'speaking' && spoken.isSpoken(turn);
    if (isNew && !tree.get(turn)?.cut) this.#open(turn);
  }

  #open(turn: NodeId): void {
    const { spoken, tree, journal, clock, ids, audience } = this.#options;
    const opened = spoken.find(turn);
    if (!opened) return;
    const { owner, openedAt: enteredAt, acknowledges } = opened;
    const id = ids('speech');
    const state = this.#mustWait(acknowledges !== undefined) ? 'queued' : 'started';
    const place = { parent: null, ancestors: [{ id: turn, owner, enteredAt }], enteredAt, name: null };
    const times = { since: clock.now(), addedAt: clock.elapsed() };
    void journal.append([{ type: `speech_${state}`, speech: id, turn, owner }]);
    const entry = tree.add({ id, kind: 'speech', owner, acknowledges, ...place, ...times }, null);
    const { state: above } = tree.get(turn) ?? {};
    if (above?.kind === 'pending') entry.defer(above.deferred); // it is stopped with its turn
    this.#floor.add({ turn, entry, state });
    if (state === 'queued') audience.speech({ type: 'speech_wait', turn });
  }

  /** Whether other speech has the floor. Before a bridge has said what it plays nobody knows. */
  #mustWait(isAcknowledgement: boolean): boolean {
    const { floor, spoken } = this.#options;
    return floor === 'one' && spoken.isReported && !this.#floor.isFree({ isAcknowledgement });
  }

  /** Notes what becomes of the acknowledgement that the floor is kept for. */
  #noteTurn(fact: FactOf<(typeof textFacts)[number]>): void {
    if (fact.type === 'turn_opened' && fact.cancel !== undefined)
      this.#floor.noteAcknowledgement(fact.cancel, fact.turn);
    else if (fact.type === 'turn_opened') this.#floor.noteWords(fact.owner);
    if (fact.type === 'turn_ended') this.#floor.release(fact.turn);
  }

  /** Whether a request stops what has the floor: it is acknowledged. */
  #stopsFloor({ source, stopping }: CancelAccepted): boolean {
    if (!ruleOfCause(source).isRequest) return false;
    const open = this.#floor.turns.flatMap((turn) => this.#floor.find(turn) ?? []);
    return open.some(({ state, entry }) => state === 'started' && stopping.includes(entry.id));
  }

  /** Whether the room is to hear the sound for a stop: a request stops something, and not only words that acknowledge an earlier one. */
  #isHeardStop(accepted: CancelAccepted): boolean {
    const { rules, floor, tree } = this.#options;
    if (!rules.stopSound || floor !== 'one' || !ruleOfCause(accepted.source).isRequest) return false;
    return listedNodes(accepted).some((id) => tree.get(id)?.acknowledges === null);
  }

  /** Returns the fact that other speech has the floor, if it is due to it: it is to be appended. */
  #passFloor(): readonly Fact[] {
    const next = this.#state === 'speaking' ? this.#floor.next() : null;
    return next ? [this.#giveFloor(next)] : [];
  }

  /** Lets speech that has waited be played. Returns the fact of its start, which is to be appended. */
  #giveFloor(speech: OpenSpeech): Fact {
    const { turn, entry } = speech;
    this.#floor.start(speech);
    this.#options.audience.speech({ type: 'speech_start', turn });
    return { type: 'speech_started', speech: entry.id, turn, owner: entry.owner };
  }

  /** Ends speech that has the floor, and of which nothing is played any more; what is paused has its time anew. */
  #checkFloor(): void {
    const paused = this.#paused?.turn;
    for (const turn of this.#floor.idle()) {
      if (turn === paused) this.#floor.noteActivity(turn);
      else this.#endSpeech(turn, 'timed_out');
    }
    this.#floor.watch();
    this.#append(this.#passFloor());
  }

  #endSpeech(turn: NodeId, outcome: OutcomeKind): void {
    this.#append(this.#remove(turn, outcome));
  }

  /** Removes the node of a speech. Returns the facts of its end, and of the start of what has waited, which are to be appended; none, if the turn is not spoken. */
  #remove(turn: NodeId, outcome: OutcomeKind): readonly Fact[] {
    const { entry, state } = this.#floor.find(turn) ?? {};
    if (!entry) return [];
    const { id: speech } = entry;
    this.#floor.remove(turn);
    this.#options.tree.remove(speech);
    const effect = state === 'queued' ? 'not_started' : 'none';
    return [{ type: 'speech_ended', speech, turn, outcome, effect }, ...this.#passFloor()];
  }

  #append(facts: readonly Fact[]): void {
    if (facts.length > 0) void this.#options.journal.append(facts);
  }

  #cut(end: SpeechEnd, how: { readonly streamsOn: boolean }): void {
    const { spoken, clock, rules, observe } = this.#options;
    const { turn, why } = end;
    this.#forgetCut(turn);
    const disarm = clock.after(rules.falseInterruptionMs, () => this.#forgetCut(turn));
    this.#recentCuts.set(turn, { end, at: clock.elapsed(), silentAt: null, disarm });
    observe({ type: 'speech_cut', why });
    this.#record(end, spoken.cut(turn, how));
  }

  /** Forgets a cut: a bridge corrects it no more. */
  #forgetCut(turn: NodeId): void {
    const cut = this.#recentCuts.get(turn);
    if (!cut) return;
    cut.disarm();
    this.#recentCuts.delete(turn);
    const { end, at, silentAt } = cut;
    if (end.why === 'cancel' && silentAt !== null)
      this.#options.observe({ type: 'silent', ms: msBetween(at, silentAt) });
  }

  #record({ turn, why, by }: SpeechEnd, heard: readonly HeardBlock[]): void {
    if (heard.length > 0) void this.#options.journal.append([{ type: 'speech_cut', turn, why, by, heard }]);
  }

  #reply(id: string, reply: BargeInReply): void {
    if (reply.type === 'barge_in') this.#options.observe(reply);
    this.#bargeIns.get(id)?.(reply);
    this.#bargeIns.delete(id);
  }
}
