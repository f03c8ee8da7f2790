// Purges the store after deletions: what was deleted leaves its files. Repeats it until nothing remains.
import type { Remains } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { Clock, Disarm } from '../sources/sources.ts';

/** A file up to this size is rewritten at once: that is over before any write is given up. */
const smallBytes = 32 * 1_048_576;
const repeatMs: Readonly<Record<Exclude<Remains, 'nothing'>, number>> = { until_read: 1_000, until_rewritten: 60_000 };

export interface StorePurgeOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Returns the number of sessions that are awake here. */
  readonly countAwake: () => number;
  readonly warn: (message: string, error?: unknown) => void;
}

export class StorePurge {
  readonly #options: StorePurgeOptions;
  #state: 'on' | 'off' = 'on';
  #disarm: Disarm | null = null;

  constructor(options: StorePurgeOptions) {
    this.#options = options;
  }

  /**
   * Removes from the files of the store what was deleted, and resolves with what may remain; then it is repeated later. A large file is rewritten only while no session is awake and no
   * other host has the store. `atStart`: sessions that are awake are only recovered.
   */
  async run({ atStart = false }: { readonly atStart?: boolean } = {}): Promise<Remains> {
    const { log, warn } = this.#options;
    if (!log.deletions) return 'nothing';
    this.#disarm?.();
    const { remains: first, rewriteBytes } = await log.deletions.purge(smallBytes);
    let remains = first;
    if (rewriteBytes > smallBytes && (await this.#isAlone(atStart))) {
      const mebibytes = Math.round(rewriteBytes / 1_048_576);
      warn(
        `The store (${mebibytes} MiB) is written again, because something was deleted. It takes no writes meanwhile.`,
      );
      ({ remains } = await log.deletions.purge(Number.MAX_SAFE_INTEGER));
    }
    if (remains !== 'nothing') this.#repeatLater(remains);
    return remains;
  }

  stop(): void {
    this.#state = 'off';
    this.#disarm?.();
  }

  async #isAlone(atStart: boolean): Promise<boolean> {
    const { log, countAwake } = this.#options;
    return (atStart || countAwake() === 0) && (await log.hosts()).length <= 1;
  }

  #repeatLater(remains: Exclude<Remains, 'nothing'>): void {
    const { clock, warn } = this.#options;
    if (this.#state === 'off') return;
    this.#disarm?.();
    this.#disarm = clock.after(repeatMs[remains], () => {
      this.run().catch((error: unknown) => {
        if (this.#state === 'on') warn('What was deleted could not be removed from the files of the store.', error);
      });
    });
  }
}
