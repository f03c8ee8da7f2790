// Computes how long the next start of a server waits.
import type { Clock } from '../../core/sources/sources.ts';
import type { McpLimits } from './mcp-limits.ts';

/** The wait doubles with each failure in a row, from `restartMinMs` to `restartMaxMs`. */
export class RestartBackoff {
  readonly #clock: Clock;
  readonly #limits: Pick<McpLimits, 'restartMinMs' | 'restartMaxMs'>;
  #failures = 0;
  #notBefore = 0;

  constructor(clock: Clock, limits: Pick<McpLimits, 'restartMinMs' | 'restartMaxMs'>) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Milliseconds from now until a start is allowed; 0 or less: now. */
  get waitMs(): number {
    return this.#notBefore - this.#clock.elapsed();
  }

  noteSuccess(): void {
    this.#failures = 0;
  }

  noteFailure(): void {
    this.#delay(this.#failures + 1);
  }

  /** A server that we have closed counts as one failure, however many there were before. */
  noteClosed(): void {
    this.#delay(1);
  }

  #delay(failures: number): void {
    const { restartMinMs, restartMaxMs } = this.#limits;
    this.#failures = failures;
    this.#notBefore = this.#clock.elapsed() + Math.min(restartMinMs * 2 ** (failures - 1), restartMaxMs);
  }
}
