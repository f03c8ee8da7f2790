// The contract of a carrier: it carries sealed texts between the processes of a bus, and knows no key.
import type { BusState } from '../../core/contracts/bus.ts';

export interface Carrier {
  readonly state: BusState;
  /** Sends a text to all that listen on the subject. `onNobody`: called if nobody does. */
  send(subject: string, text: string, onNobody?: () => void): void;
  /** Calls the listener with each text on the subject, until the returned function is called. */
  listen(subject: string, listener: (text: string) => void): () => void;
  /** Calls the listener when the state changes, until the returned function is called. */
  onState(listener: (state: BusState) => void): () => void;
  close(): Promise<void>;
}

/** The state of a carrier, and the listeners of its changes. */
export class CarrierState {
  state: BusState = 'up';
  readonly #listeners = new Set<(state: BusState) => void>();

  onState(listener: (state: BusState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  protected enter(state: BusState): void {
    if (this.state === state) return;
    this.state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/** The most characters of one text: below 1 MiB in UTF-8, with what stands before it. */
export const maxCarriedChars = 300_000;
