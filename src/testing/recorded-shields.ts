// Shielded regions of a recorded call: they put off its abort, and each is measured.
import type { Cause } from '../../machines/vocabulary.ts';
import { systemSources } from '../sources/system.ts';
import { shieldRefusals, type Tool } from '../tools/tool.ts';

export interface ShieldedRegion {
  /** Its length in milliseconds; null: it has not ended. */
  readonly ms: number | null;
}

export class RecordedShields {
  readonly #tool: Pick<Tool, 'cancel' | 'shieldMaxMs'>;
  readonly #stop: AbortController;
  readonly #regions: { ms: number | null }[] = [];
  readonly #first = Promise.withResolvers<void>();
  #openRegion: object | null = null;
  /** The cause of a stop that an open region puts off. */
  #cause: Cause | null = null;

  /** `stop` is aborted with the cause of a stop. */
  constructor(tool: Pick<Tool, 'cancel' | 'shieldMaxMs'>, stop: AbortController) {
    this.#tool = tool;
    this.#stop = stop;
  }

  get regions(): readonly ShieldedRegion[] {
    return this.#regions;
  }

  /** Resolves when the first region starts. */
  get firstRegion(): Promise<void> {
    return this.#first.promise;
  }

  /** Stops the call: at once, or at the end of its open region. No region starts after it. The first cause counts. */
  stopCall(cause: Cause): void {
    if (this.#cause !== null) return;
    this.#cause = cause;
    if (this.#openRegion === null) this.#stop.abort(cause);
  }

  /** As `ToolContext.shield`. */
  async shield<T>(work: () => Promise<T>): Promise<T> {
    if (this.#tool.cancel !== 'shielded') throw new Error(shieldRefusals.undeclared);
    if (this.#cause !== null || this.#stop.signal.aborted) throw new Error(shieldRefusals.cut);
    if (this.#openRegion !== null) throw new Error(shieldRefusals.open);
    const { clock } = systemSources;
    const region: { ms: number | null } = { ms: null };
    const startedAt = clock.now();
    this.#regions.push(region);
    this.#openRegion = region;
    const { shieldMaxMs } = this.#tool;
    using stack = new DisposableStack();
    stack.defer(() => this.#close(region));
    stack.defer(() => {
      region.ms = clock.now() - startedAt;
    });
    if (shieldMaxMs !== undefined) stack.defer(clock.after(shieldMaxMs, () => this.#close(region)));
    this.#first.resolve();
    return await work();
  }

  #close(region: object): void {
    if (this.#openRegion !== region) return;
    this.#openRegion = null;
    if (this.#cause) this.#stop.abort(this.#cause);
  }
}
