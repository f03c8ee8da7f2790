// Lets idle sessions fall asleep: one timer for all sessions of a runtime.
import type { Session } from '../session/session.ts';
import type { Clock, Disarm } from '../sources/sources.ts';

export class IdleSweep {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #sessions: ReadonlyMap<string, Session>;
  #disarm: Disarm | null = null;

  constructor(clock: Clock, idleMs: number, sessions: ReadonlyMap<string, Session>) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#sessions = sessions;
  }

  /** Called for each session that is opened. */
  start(): void {
    this.#disarm ??= this.#clock.after(this.#idleMs, () => this.#sweep());
  }

  stop(): void {
    this.#disarm?.();
  }

  #sweep(): void {
    this.#disarm = null;
    for (const session of this.#sessions.values()) session.sleepIfIdle();
    if (this.#sessions.size > 0) this.start();
  }
}
