// Computes how long the next start of a process waits.
import { addMs, msUntil } from './monotonic-time.ts';
import type { Clock, MonotonicTime } from './sources.ts';

/** The shortest and the longest wait, in milliseconds. */
export interface RestartLimits {
  readonly restartMinMs: number;
  readonly restartMaxMs: number;
}

/** The wait doubles with each failure in a row, from `restartMinMs` to `restartMaxMs`. */
export class RestartBackoff {
  readonly #clock: Clock;
  readonly #limits: RestartLimits;
  #failures = 0;
  #notBefore: MonotonicTime;

  constructor(clock: Clock, limits: RestartLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#notBefore = clock.elapsed();
  }

  /** Milliseconds from now until a start is allowed; 0 or less: now. */
  get waitMs(): number {
    return msUntil(this.#clock, this.#notBefore);
  }

  noteSuccess(): void {
    this.#failures = 0;
  }

  noteFailure(): void {
    this.#delay(this.#failures + 1);
  }

  /** A process that we have closed counts as one failure, however many there were before. */
  noteClosed(): void {
    this.#delay(1);
  }

  #delay(failures: number): void {
    const { restartMinMs, restartMaxMs } = this.#limits;
    this.#failures = failures;
    this.#notBefore = addMs(this.#clock.elapsed(), Math.min(restartMinMs * 2 ** (failures - 1), restartMaxMs));
  }
}
