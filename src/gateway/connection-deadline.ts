// The one deadline that a connection has at a time: for HELLO, for its token, for the closing handshake.
import type { Clock, Disarm } from '../core/sources/sources.ts';
import { atTimeOfDay } from '../core/sources/time-of-day.ts';
import type { ConnectionActor } from './connection-actor.ts';

export class ConnectionDeadline {
  readonly #clock: Clock;
  readonly #actor: ConnectionActor;
  #disarm: Disarm | null = null;

  constructor(clock: Clock, actor: ConnectionActor) {
    this.#clock = clock;
    this.#actor = actor;
  }

  /** Sends OVERDUE to the machine in `ms` milliseconds. Replaces the deadline before. */
  armPhase(ms: number): void {
    this.clear();
    this.#disarm = this.#clock.after(ms, () => this.#actor.send({ type: 'OVERDUE' }));
  }

  /** Closes the connection when its token expires. `at`: milliseconds since 1970; null: never. Replaces the deadline before. */
  armExpiry(at: number | null): void {
    this.clear();
    if (at === null) return;
    const close = () => this.#actor.send({ type: 'CLOSE', because: 'token_expired' });
    if (at <= this.#clock.now()) return close();
    this.#disarm = atTimeOfDay(this.#clock, at, close);
  }

  clear(): void {
    this.#disarm?.();
    this.#disarm = null;
  }
}
