// Finds dead peers: a ping in each interval, and a sign of life before the next one is due. One timer serves all connections of a gateway.
import type { Clock, Disarm } from '../core/sources/sources.ts';
import type { ConnectionActor } from './connection-actor.ts';
import type { Peer } from './peer.ts';

/** The pulse of one connection: whether its peer has given a sign of life since the last ping. */
export class Pulse {
  readonly #peer: Peer;
  readonly #actor: ConnectionActor;
  #lastPing: 'answered' | 'unanswered' = 'answered';

  constructor(peer: Peer, actor: ConnectionActor) {
    this.#peer = peer;
    this.#actor = actor;
  }

  /** Notes a sign of life. */
  note(): void {
    this.#lastPing = 'answered';
  }

  /** Pings the peer, or closes the connection when the last ping had no answer. */
  check(): void {
    if (this.#lastPing === 'unanswered') return this.#actor.send({ type: 'CLOSE', because: 'heartbeat_lost' });
    this.#lastPing = 'unanswered';
    this.#peer.ping();
  }
}

/** The pings of a gateway are spread over this many moments of the interval. */
const slotCount = 8;

/** Checks each pulse once in an interval. Its timer runs only while there are pulses. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #slotMs: number;
  readonly #slots: readonly Set<Pulse>[] = Array.from({ length: slotCount }, () => new Set());
  #current = 0;
  #disarm: Disarm | null = null;

  /** `everyMs`: the interval, in milliseconds; a peer has as long to answer a ping. */
  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#slotMs = Math.ceil(everyMs / slotCount);
  }

  /** The first check comes when an interval has passed, or up to one slot earlier. */
  add(pulse: Pulse): void {
    this.#slots[this.#current]?.add(pulse);
    this.#disarm ??= this.#clock.after(this.#slotMs, this.#turn);
  }

  remove(pulse: Pulse): void {
    for (const slot of this.#slots) if (slot.delete(pulse)) break;
    if (this.#slots.some(({ size }) => size > 0)) return;
    this.#disarm?.();
    this.#disarm = null;
  }

  readonly #turn = (): void => {
    this.#disarm = this.#clock.after(this.#slotMs, this.#turn);
    this.#current = (this.#current + 1) % slotCount;
    for (const pulse of this.#slots[this.#current] ?? []) pulse.check();
  };
}
