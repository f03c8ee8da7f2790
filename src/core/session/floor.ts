// The floor of a room: which of the speech that is open may be played.
//
// 1. One speech has the floor. The others wait for it in the order in which they came, an acknowledgement before the rest.
// 2. A stop of what has the floor keeps it for the words that acknowledge the stop, for a limited time.
// 3. Speech of which nothing is played any more loses the floor to one that waits: the last report of its bridge may be lost.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { addMs, msUntil } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';

/** Nothing was played for this long, in milliseconds: the floor goes to speech that waits. */
export const idleFloorMs = 5_000;

/** From the end of a stop to the opening of its acknowledgement, in milliseconds, at most: there is none after it. */
const openingMs = 100;

/** Speech that is open. `queued`: nothing of it may be played yet. */
export interface OpenSpeech {
  readonly turn: NodeId;
  readonly entry: NodeEntry;
  state: 'queued' | 'started';
  /** When something of it was published or played last. */
  activeAt: MonotonicTime;
}

/** A stop that keeps the floor. */
interface KeepingStop {
  /** Its receipt. */
  readonly cancel: string;
  readonly by: SpeakerId;
}

/** `kept`: for the acknowledgement of a stop. `turn`: that of the acknowledgement; null: it is not opened yet. */
type FloorState =
  | { readonly kind: 'open' }
  | { readonly kind: 'kept'; readonly stop: KeepingStop; readonly turn: NodeId | null; readonly disarm: Disarm };

const openFloor: FloorState = { kind: 'open' };

export interface SpeechFloorOptions {
  readonly clock: Clock;
  /** Milliseconds for which a stop keeps the floor, until its acknowledgement is opened; 0: stops are not acknowledged by words. */
  readonly keepMs: number;
  /** Called by a timer: the floor may be due to other speech. */
  onDue(): void;
}

export class Floor {
  readonly #options: SpeechFloorOptions;
  /** By the turn, in the order in which they came. */
  readonly #speeches = new Map<NodeId, OpenSpeech>();
  #state: FloorState = openFloor;
  #disarmIdle: Disarm | null = null;

  constructor(options: SpeechFloorOptions) {
    this.#options = options;
  }

  /** Speech that is open. */
  get size(): number {
    return this.#speeches.size;
  }

  get turns(): readonly NodeId[] {
    return [...this.#speeches.keys()];
  }

  /** The turns whose speech waits. */
  get queue(): readonly NodeId[] {
    return this.#in('queued').map(({ turn }) => turn);
  }

  find(turn: NodeId): OpenSpeech | undefined {
    return this.#speeches.get(turn);
  }

  /** Whether speech that comes now may start at once. */
  isFree({ isAcknowledgement }: { readonly isAcknowledgement: boolean }): boolean {
    if (this.#in('started').length > 0) return false;
    return isAcknowledgement || (this.#state.kind === 'open' && this.#in('queued').length === 0);
  }

  add(speech: Omit<OpenSpeech, 'activeAt'>): void {
    this.#speeches.set(speech.turn, { ...speech, activeAt: this.#options.clock.elapsed() });
    if (speech.state === 'started') this.release(speech.turn);
    this.watch();
  }

  /** It may be played from now on. */
  start(speech: OpenSpeech): void {
    speech.state = 'started';
    speech.activeAt = this.#options.clock.elapsed();
    this.release(speech.turn);
    this.watch();
  }

  remove(turn: NodeId): void {
    this.#speeches.delete(turn);
    this.watch();
  }

  /** Returns the speech that gets the floor next; null: it is taken, kept, or nobody waits. */
  next(): OpenSpeech | null {
    if (this.#in('started').length > 0) return null;
    const waiting = this.#in('queued').filter(({ entry }) => entry.cut === null);
    const acknowledgement = waiting.find(({ entry }) => entry.acknowledges !== null);
    return acknowledgement ?? (this.#state.kind === 'open' ? (waiting[0] ?? null) : null);
  }

  /** Something of the turn was published or played. Its time counts from here on at the next look. */
  noteActivity(turn: NodeId): void {
    const speech = this.#speeches.get(turn);
    if (speech) speech.activeAt = this.#options.clock.elapsed();
  }

  /** Returns the turns that have the floor, and of which nothing is played any more, where others wait. */
  idle(): readonly NodeId[] {
    const now = this.#options.clock.elapsed();
    const idle = this.#in('started').filter(({ activeAt }) => addMs(activeAt, idleFloorMs) <= now);
    return this.#in('queued').length > 0 ? idle.map(({ turn }) => turn) : [];
  }

  /** A stop was accepted that ends what has the floor. */
  keepFor(stop: KeepingStop): void {
    const { keepMs } = this.#options;
    if (keepMs === 0) return;
    this.#free();
    this.#state = { kind: 'kept', stop, turn: null, disarm: this.#freeAfter(keepMs) };
  }

  /** The acknowledgement of a stop was opened: it has a deadline of its own. */
  noteAcknowledgement(cancel: string, turn: NodeId): void {
    if (this.#state.kind !== 'kept' || this.#state.stop.cancel !== cancel) return;
    this.#state.disarm();
    this.#state = { kind: 'kept', stop: this.#state.stop, turn, disarm: () => {} };
  }

  /** The stop has ended: its acknowledgement is opened soon, or there is none. */
  noteSettled(cancel: string): void {
    if (this.#state.kind !== 'kept' || this.#state.stop.cancel !== cancel || this.#state.turn !== null) return;
    this.#state.disarm();
    this.#state = { kind: 'kept', stop: this.#state.stop, turn: null, disarm: this.#freeAfter(openingMs) };
  }

  /** Somebody has said something else: who does so after an own stop gets no acknowledgement. */
  noteWords(by: SpeakerId): void {
    if (this.#state.kind === 'kept' && this.#state.turn === null && this.#state.stop.by === by) this.#free();
  }

  /** The acknowledgement is over, or a sound stands in its place. `of`: its turn, or the stop. */
  release(of: string): void {
    if (this.#state.kind === 'kept' && (this.#state.stop.cancel === of || this.#state.turn === of)) this.#free();
  }

  /** Watches what has the floor for as long as other speech waits. */
  watch(): void {
    const { clock, onDue } = this.#options;
    this.#disarmIdle?.();
    this.#disarmIdle = null;
    const started = this.#in('started');
    if (started.length === 0 || this.#in('queued').length === 0) return;
    const ms = Math.min(...started.map(({ activeAt }) => msUntil(clock, addMs(activeAt, idleFloorMs))));
    this.#disarmIdle = clock.after(Math.max(0, ms), onDue);
  }

  close(): void {
    this.#free();
    this.#speeches.clear();
    this.watch();
  }

  #in(state: OpenSpeech['state']): readonly OpenSpeech[] {
    return [...this.#speeches.values()].filter((speech) => speech.state === state);
  }

  #free(): void {
    if (this.#state.kind === 'kept') this.#state.disarm();
    this.#state = openFloor;
  }

  #freeAfter(ms: number): Disarm {
    return this.#options.clock.after(ms, () => {
      this.#state = openFloor;
      this.#options.onDue();
    });
  }
}
