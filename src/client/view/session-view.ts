// A view of a session for user interfaces: subscribe to its changes, and read a snapshot that stays the same value until the next change.

import { Listeners } from '../../core/collections/listeners.ts';
import type { FactFrame } from '../../wire/fact-frames.ts';
import type { ServerFrame } from '../../wire/server-frames.ts';
import { addEarlierFacts, type EarlierFacts, isOfUnknown } from './earlier-turns.ts';
import { defaultViewLimits, foldFrame, type ViewLimits } from './fold.ts';
import { emptySnapshot, type SessionSnapshot } from './snapshot.ts';

/** The part of a `ClientSession` that a view needs. */
export interface ViewedSession {
  readonly state: SessionSnapshot['state'];
  on(type: '*', listener: (frame: ServerFrame) => void): () => void;
  on(type: 'state', listener: (state: SessionSnapshot['state']) => void): () => void;
}

/** Reads the last facts of a session with a sequence number below `before`, at most `limit`: `GET /api/sessions/:session/events`. */
export type ReadEarlier = (page: { readonly before: number; readonly limit: number }) => Promise<EarlierFacts>;

/** Facts that are read at once. */
const pageFacts = 500;

/**
 * Folds the frames of a session into snapshots. Make it in the same tick as the session (`new SessionView(client.session('standup', { after: 0 }))`): frames that came before are not in it.
 *
 * `subscribe` and `getSnapshot` are bound: `useSyncExternalStore(view.subscribe, view.getSnapshot)`.
 */
export class SessionView implements Disposable {
  readonly #listeners = new Listeners<SessionSnapshot>();
  #limits: ViewLimits;
  readonly #stops: readonly (() => void)[];
  #snapshot: SessionSnapshot;
  /** Facts of turns that were opened before the first one here. */
  #waiting: readonly FactFrame[] = [];
  #loading: Promise<void> | null = null;
  /** While the last turns come one by one, nobody is notified. */
  #isOpening = false;

  constructor(session: ViewedSession, limits: Partial<ViewLimits> = {}) {
    this.#limits = { ...defaultViewLimits, ...limits };
    this.#snapshot = { ...emptySnapshot, state: session.state };
    this.#stops = [
      session.on('*', (frame) => this.#fold(frame)),
      session.on('state', (state) => this.#changeState(state)),
    ];
    this.subscribe = this.subscribe.bind(this);
    this.getSnapshot = this.getSnapshot.bind(this);
  }

  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.on('change', listener);
  }

  /** The same value until something changes; unchanged nodes, turns and blocks keep their identity from one to the next. */
  getSnapshot(): SessionSnapshot {
    return this.#snapshot;
  }

  /**
   * Adds at least so many of the root turns before the first one here, as far as there are: they stay, whatever `limits` says. Resolves when they are in the snapshot;
   * rejects as `read` does. While it loads, another call waits for the same.
   */
  loadEarlier(read: ReadEarlier, turns: number): Promise<void> {
    this.#loading ??= this.#load(read, turns).finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** Stops following the session. The last snapshot stays. */
  close(): void {
    for (const stop of this.#stops) stop();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #fold(frame: ServerFrame): void {
    const next = foldFrame(this.#snapshot, frame, this.#limits);
    if (next.seq < this.#snapshot.seq) this.#waiting = []; // joined anew
    if (next.earlierBefore !== null && isOfUnknown(next, frame)) this.#waiting = [...this.#waiting, frame];
    if (frame.type === 'joined') this.#isOpening = frame.tail !== undefined;
    const wasOpening = this.#isOpening;
    if (frame.type === 'replayed') this.#isOpening = false;
    if (wasOpening && !this.#isOpening) return this.#publish(next);
    this.#change(next);
  }

  async #load(read: ReadEarlier, turns: number): Promise<void> {
    const isRoot = ({ node }: SessionSnapshot['turns'][number]) => node.parent === null;
    const count = () => this.#snapshot.turns.filter(isRoot).length;
    const wanted = count() + turns;
    while (count() < wanted) {
      const before = this.#snapshot.earlierBefore;
      if (before === null) return;
      const page = await read({ before, limit: pageFacts });
      if (this.#snapshot.earlierBefore !== before) continue; // joined anew, or turns were dropped meanwhile
      const held = this.#snapshot;
      const { snapshot, waiting } = addEarlierFacts(held, page, this.#waiting);
      this.#waiting = waiting;
      const { turns: keptTurns, receipts, outputChars } = this.#limits;
      this.#limits = {
        turns: keptTurns + snapshot.turns.length - held.turns.length,
        receipts: receipts + snapshot.receipts.length - held.receipts.length,
        outputChars,
      };
      this.#change(snapshot);
    }
  }

  #changeState(state: SessionSnapshot['state']): void {
    if (state !== this.#snapshot.state) this.#publish({ ...this.#snapshot, state });
  }

  #change(next: SessionSnapshot): void {
    if (next === this.#snapshot) return;
    if (!this.#isOpening) return this.#publish(next);
    this.#snapshot = next;
  }

  #publish(next: SessionSnapshot): void {
    this.#snapshot = next;
    this.#listeners.emit('change', next);
  }
}
