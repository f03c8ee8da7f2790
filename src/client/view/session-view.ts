// A view of a session for user interfaces: subscribe to its changes, and read a snapshot that stays the same value until the next change.

import { Listeners } from '../../core/collections/listeners.ts';
import type { ServerFrame } from '../../wire/server-frames.ts';
import { defaultViewLimits, foldFrame, type ViewLimits } from './fold.ts';
import { emptySnapshot, type SessionSnapshot } from './snapshot.ts';

/** The part of a `ClientSession` that a view needs. */
export interface ViewedSession {
  readonly state: SessionSnapshot['state'];
  on(type: '*', listener: (frame: ServerFrame) => void): () => void;
  on(type: 'state', listener: (state: SessionSnapshot['state']) => void): () => void;
}

/**
 * Folds the frames of a session into snapshots. Make it in the same tick as the session (`new SessionView(client.session('standup', { after: 0 }))`): frames that came before are not in it.
 *
 * `subscribe` and `getSnapshot` are bound: `useSyncExternalStore(view.subscribe, view.getSnapshot)`.
 */
export class SessionView implements Disposable {
  readonly #listeners = new Listeners<SessionSnapshot>();
  readonly #limits: ViewLimits;
  readonly #stops: readonly (() => void)[];
  #snapshot: SessionSnapshot;

  constructor(session: ViewedSession, limits: Partial<ViewLimits> = {}) {
    this.#limits = { ...defaultViewLimits, ...limits };
    this.#snapshot = { ...emptySnapshot, state: session.state };
    this.#stops = [
      session.on('*', (frame) => this.#change(foldFrame(this.#snapshot, frame, this.#limits))),
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

  /** Stops following the session. The last snapshot stays. */
  close(): void {
    for (const stop of this.#stops) stop();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #changeState(state: SessionSnapshot['state']): void {
    if (state !== this.#snapshot.state) this.#change({ ...this.#snapshot, state });
  }

  #change(next: SessionSnapshot): void {
    if (next === this.#snapshot) return;
    this.#snapshot = next;
    this.#listeners.emit('change', next);
  }
}
