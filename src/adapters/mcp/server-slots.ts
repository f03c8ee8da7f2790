// Counts the MCP servers of sessions that run at once, up to a limit.
import { printWarning } from '../../core/text/print-line.ts';

export interface ServerSlotsOptions {
  readonly max: number;
  /** Receives a sentence when the limit is reached. Default: standard error. */
  warn?(message: string): void;
}

export class ServerSlots {
  readonly #options: ServerSlotsOptions;
  #reserved = 0;
  /** Whether a warning was given since the limit was reached. */
  #isReported = false;

  constructor(options: ServerSlotsOptions) {
    this.#options = options;
  }

  /** Reserves slots for the servers of a session; false: there are not enough, and none was reserved. */
  reserveSlots(count: number): boolean {
    const { max, warn = printWarning } = this.#options;
    if (this.#reserved + count > max) {
      if (!this.#isReported)
        warn(
          `${this.#reserved} MCP servers of sessions run, and ${count} more would be over the limit of ${max}: a session has none of its own for now`,
        );
      this.#isReported = true;
      return false;
    }
    this.#reserved += count;
    return true;
  }

  releaseSlots(count: number): void {
    this.#reserved -= count;
    this.#isReported = false;
  }
}
