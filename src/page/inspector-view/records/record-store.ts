// The records that the inspector shows: live, or stopped at a place in the past while more are received.
//
// Records are taken in at once; what shows them is called at most once for each frame of the screen.
import type { ActorRecord, InspectionRecord } from '../../../wire/inspection.ts';
import type { StopTimer } from '../../page-state/page-clock.ts';
import { Picture } from './picture.ts';
import { type HistoryLimits, RecordHistory } from './record-history.ts';

export interface StoreSnapshot {
  /** Another one for each change of anything in it. */
  readonly version: number;
  /** The place of the picture: the number of records before it. */
  readonly place: number;
  /** The place before the oldest record that is kept. */
  readonly oldest: number;
  /** The place after the newest. */
  readonly newest: number;
  readonly isLive: boolean;
  /** The `n` of a record that is shown as soon as it has come; null: none is waited for. */
  readonly awaitedN: number | null;
  /** The picture at that place. The live one changes with each version. */
  readonly picture: Picture;
  /** The record that led to the picture; null: none has. */
  readonly record: InspectionRecord | null;
  /** How many records this page should have received and has not. */
  readonly missed: number;
}

export interface RecordStoreOptions extends HistoryLimits {
  /** Runs a function before the next frame is drawn. */
  readonly onFrame: (fn: () => void) => StopTimer;
}

/** `stopped`: the picture is held at a place. `shown`: the picture of a place, until what is known of it changes. */
type ViewState =
  | { readonly kind: 'live' }
  | {
      readonly kind: 'stopped';
      readonly at: number;
      shown: { readonly place: number; readonly picture: Picture } | null;
    };

const live: ViewState = { kind: 'live' };

export class RecordStore {
  readonly #limits: HistoryLimits;
  readonly #onFrame: (fn: () => void) => StopTimer;
  readonly #listeners = new Set<() => void>();
  #history: RecordHistory;
  #missed = 0;
  #state: ViewState = live;
  /** A record to stop at as soon as it has come. */
  #awaitedN: number | null = null;
  #frame: StopTimer | null = null;
  #snapshot: StoreSnapshot;

  constructor({ onFrame, ...limits }: RecordStoreOptions) {
    this.#limits = limits;
    this.#onFrame = onFrame;
    this.#history = new RecordHistory(limits);
    this.#snapshot = this.#nextSnapshot(0);
    this.subscribe = this.subscribe.bind(this);
    this.getSnapshot = this.getSnapshot.bind(this);
  }

  /** Calls the listener when there is another snapshot, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  getSnapshot(): StoreSnapshot {
    return this.#snapshot;
  }

  get history(): RecordHistory {
    return this.#history;
  }

  // -- what comes in

  /** Adds a record. */
  receive(record: InspectionRecord): void {
    this.#history.push(record);
    if (this.#awaitedN !== null && record.n >= this.#awaitedN) this.goToRecord(this.#awaitedN);
    this.#changed();
  }

  /** Adds what is known of an actor that was alive before the first record. */
  identify(record: ActorRecord): void {
    this.#history.identify(record);
    if (this.#state.kind === 'stopped') this.#state.shown = null;
    this.#changed();
  }

  /** Notes that records were missed. What is alive is said anew. */
  noteGap(missed: number): void {
    this.#missed += missed;
    this.#history.startAnew();
    this.#changed();
  }

  /** Drops everything: the records that follow are of another runtime. */
  clear(): void {
    this.#history = new RecordHistory(this.#limits);
    this.#missed = 0;
    this.#state = live;
    this.#changed();
  }

  // -- the place that is shown

  /** Stops at the newest record. Records go on being received. */
  pause(): void {
    this.goTo(this.#history.newest);
  }

  /** Follows the newest record. */
  goLive(): void {
    this.#state = live;
    this.#awaitedN = null;
    this.#showNow();
  }

  /** Stops at a place, or at the nearest that is kept. */
  goTo(place: number): void {
    const { oldest, newest } = this.#history;
    const at = Math.min(newest, Math.max(oldest, Math.round(place)));
    this.#state = { kind: 'stopped', at, shown: this.#state.kind === 'stopped' ? this.#state.shown : null };
    this.#awaitedN = null;
    this.#showNow();
  }

  /** Stops so many records further; a negative number is further back. */
  stepBy(records: number): void {
    this.goTo(this.#place() + records);
  }

  /** Stops after the record with that `n`, at once or as soon as it has come. */
  goToRecord(n: number): void {
    const last = this.#history.recordAt(this.#history.newest - 1);
    if ((last?.n ?? -1) >= n) return this.goTo(this.#history.placeOf(n));
    this.#awaitedN = n;
    this.#showNow();
  }

  #place(): number {
    const { oldest, newest } = this.#history;
    return Math.max(oldest, this.#state.kind === 'stopped' ? this.#state.at : newest);
  }

  #changed(): void {
    this.#frame ??= this.#onFrame(() => this.#showNow());
  }

  #showNow(): void {
    this.#frame?.();
    this.#frame = null;
    this.#snapshot = this.#nextSnapshot(this.#snapshot.version + 1);
    for (const listener of [...this.#listeners]) listener();
  }

  #nextSnapshot(version: number): StoreSnapshot {
    const { oldest, newest } = this.#history;
    const place = this.#place();
    return {
      version,
      place,
      oldest,
      newest,
      isLive: this.#state.kind === 'live',
      awaitedN: this.#awaitedN,
      picture: this.#pictureAt(place),
      record: this.#history.recordAt(place - 1) ?? null,
      missed: this.#missed,
    };
  }

  #pictureAt(place: number): Picture {
    const state = this.#state;
    if (state.kind === 'live') return this.#history.head;
    // at the newest record the head is the picture, and it changes with the next
    if (state.shown?.place !== place) state.shown = { place, picture: new Picture(this.#history.pictureAt(place)) };
    return state.shown.picture;
  }
}
