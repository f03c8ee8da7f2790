// Records the shielded regions of a call under test: delays its abort until the region ends, and measures each region.
import type { Cause } from '../../machines/vocabulary.ts';
import { cancelErrorOf } from '../core/contracts/cancel-error.ts';
import { shieldRefusals, type Tool } from '../core/contracts/tool.ts';
import { msSince } from '../core/sources/monotonic-time.ts';
import { systemSources } from '../core/sources/system.ts';

export interface ShieldedRegion {
  /** Its length in milliseconds; null: its work has not ended. */
  readonly ms: number | null;
}

interface OpenRegion {
  ms: number | null;
}

export class RecordedShields {
  readonly #tool: Pick<Tool, 'cancel' | 'shieldMaxMs'>;
  readonly #stop: AbortController;
  readonly #regions: OpenRegion[] = [];
  readonly #firstStarted = Promise.withResolvers<void>();
  /** The region that delays a stop; null: none, or its time is over. */
  #openRegion: OpenRegion | null = null;
  /** The cause of the first stop; null: the call has not been stopped. */
  #cause: Cause | null = null;

  /** `stop` is aborted when the call is stopped, with the error of the cause as the reason. */
  constructor(tool: Pick<Tool, 'cancel' | 'shieldMaxMs'>, stop: AbortController) {
    this.#tool = tool;
    this.#stop = stop;
  }

  get regions(): readonly ShieldedRegion[] {
    return this.#regions;
  }

  /** Resolves when the first region starts. */
  get firstRegion(): Promise<void> {
    return this.#firstStarted.promise;
  }

  /** Stops the call: at once, or at the end of its open region. No region starts afterwards. Later calls have no effect. */
  stopCall(cause: Cause): void {
    if (this.#cause !== null) return;
    this.#cause = cause;
    if (this.#openRegion === null) this.#stop.abort(cancelErrorOf(cause));
  }

  /** Implements `ToolContext.shield`. */
  async shield<T>(work: () => Promise<T>): Promise<T> {
    if (this.#tool.cancel !== 'shielded') throw new Error(shieldRefusals.undeclared);
    // a test may also abort `stop` itself
    if (this.#cause !== null || this.#stop.signal.aborted) throw new Error(shieldRefusals.cut);
    if (this.#openRegion !== null) throw new Error(shieldRefusals.open);
    const { clock } = systemSources;
    const { shieldMaxMs } = this.#tool;
    const region: OpenRegion = { ms: null };
    const startedAt = clock.elapsed();
    this.#regions.push(region);
    this.#openRegion = region;
    const disarm = shieldMaxMs === undefined ? null : clock.after(shieldMaxMs, () => this.#close(region));
    this.#firstStarted.resolve();
    try {
      return await work();
    } finally {
      disarm?.();
      region.ms = msSince(clock, startedAt);
      this.#close(region);
    }
  }

  /** Ends the delay, at the end of the work or of its maximum, whichever comes first. */
  #close(region: OpenRegion): void {
    if (this.#openRegion !== region) return;
    this.#openRegion = null;
    if (this.#cause) this.#stop.abort(this.#cause);
  }
}
