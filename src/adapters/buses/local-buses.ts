// Buses of one process: for several runtimes in one program, and for tests with a virtual clock and with faults.
import type { Bus } from '../../core/contracts/bus.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { systemSources } from '../../core/sources/system.ts';
import { type Carrier, CarrierState } from './carrier.ts';
import { assertKey, type BusOptions, SealedBus } from './sealed-bus.ts';

/** What happens to a text on its way: it is lost, comes twice, or comes so many milliseconds later. Null: it arrives. */
export type CarriedFault = 'lost' | 'twice' | number | null;

export interface LocalBusesOptions extends BusOptions {
  /** Called for each text that is sent. Default: all arrive. */
  fault?(subject: string): CarriedFault;
}

/** The buses of one process, which are connected with each other. */
export interface LocalBuses {
  /** Makes one more bus. `key`: another one than the others have; they drop what it sends. */
  connect(key?: string): Bus;
}

type Listener = (text: string) => void;

class LocalCarrier extends CarrierState implements Carrier {
  readonly #subjects: Map<string, Set<Listener>>;
  readonly #own = new Map<Listener, () => void>();
  readonly #deliver: (subject: string, deliver: () => void) => void;

  constructor(subjects: Map<string, Set<Listener>>, deliver: (subject: string, deliver: () => void) => void) {
    super();
    this.#subjects = subjects;
    this.#deliver = deliver;
  }

  send(subject: string, text: string, onNobody?: () => void): void {
    const listeners = this.#subjects.get(subject);
    if (!listeners || listeners.size === 0) return void (onNobody && queueMicrotask(onNobody));
    for (const listener of listeners)
      this.#deliver(subject, () => {
        if (this.#subjects.get(subject)?.has(listener)) listener(text);
      });
  }

  listen(subject: string, listener: Listener): () => void {
    const own: Listener = (text) => listener(text);
    const listeners = this.#subjects.get(subject) ?? new Set();
    this.#subjects.set(subject, listeners.add(own));
    const stop = () => {
      listeners.delete(own);
      this.#own.delete(own);
      if (listeners.size === 0 && this.#subjects.get(subject) === listeners) this.#subjects.delete(subject);
    };
    this.#own.set(own, stop);
    return stop;
  }

  async close(): Promise<void> {
    for (const stop of this.#own.values()) stop();
    this.enter('down');
  }
}

/**
 * Creates the buses of one process.
 *
 * @throws RangeError if the key is too short.
 */
export function createLocalBuses(options: LocalBusesOptions): LocalBuses {
  assertKey('createLocalBuses', options);
  const { clock = systemSources.clock, fault } = options;
  const subjects = new Map<string, Set<Listener>>();
  const deliver = delivery(clock, fault);
  return {
    connect: (key = options.key) => new SealedBus(new LocalCarrier(subjects, deliver), { ...options, key }),
  };
}

/** Returns what delivers the texts of one sender, in their order. */
function delivery(clock: Clock, fault: LocalBusesOptions['fault']) {
  return (subject: string, deliver: () => void): void => {
    const happens = fault?.(subject) ?? null;
    if (happens === 'lost') return;
    if (typeof happens === 'number') return void clock.after(happens, deliver);
    queueMicrotask(deliver);
    if (happens === 'twice') queueMicrotask(deliver);
  };
}
