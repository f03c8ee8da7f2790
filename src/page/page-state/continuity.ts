// The continuity of a session: whether it is away, and what was fetched when it came back.
import type { ClientSession } from '../../client/client-session.ts';
import { Listeners } from '../../core/collections/listeners.ts';
import { pageClock, type StopTimer } from './page-clock.ts';

/** `back`: the session was joined again, and `facts` of it that had happened meanwhile were fetched. It is shown for a few seconds. */
export type ContinuityState =
  | { readonly kind: 'steady' }
  | { readonly kind: 'away' }
  | { readonly kind: 'back'; readonly facts: number };

const shownMs = 8_000;
const steady: ContinuityState = { kind: 'steady' };

export class Continuity {
  readonly #listeners = new Listeners<ContinuityState>();
  #state: ContinuityState = steady;
  #wasJoined = false;
  #facts = 0;
  #disarm: StopTimer = () => {};

  constructor(session: Pick<ClientSession, 'on' | 'state'>) {
    this.getState = this.getState.bind(this);
    this.subscribe = this.subscribe.bind(this);
    session.on('*', (frame) => {
      if (this.#state.kind === 'away' && 'seq' in frame && frame.type !== 'joined') this.#facts += 1;
    });
    session.on('state', (state) => this.#onState(state));
  }

  getState(): ContinuityState {
    return this.#state;
  }

  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.on('change', listener);
  }

  #onState(state: ClientSession['state']): void {
    if (state === 'away' && this.#wasJoined && this.#state.kind !== 'away') {
      this.#facts = 0;
      this.#enter({ kind: 'away' });
    }
    if (state !== 'joined') return;
    if (this.#state.kind === 'away') {
      this.#enter({ kind: 'back', facts: this.#facts });
      this.#disarm = pageClock.after(shownMs, () => this.#enter(steady));
    }
    this.#wasJoined = true;
  }

  #enter(state: ContinuityState): void {
    this.#disarm();
    this.#state = state;
    this.#listeners.emit('change', state);
  }
}
