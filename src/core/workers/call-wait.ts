// The wait of a call for another call: shown to the session, and counted in no timeout above the call.
import type { AwaitedCall } from '../../../machines/live-view.ts';
import { startWait } from '../live/waits.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { MonotonicTime } from '../sources/sources.ts';
import type { Job } from './worker.ts';

/** It begins with the first call that it waits for, and ends when it is disposed. */
export class CallWait implements Disposable {
  readonly #job: Pick<Job<'runtime' | 'tree' | 'text'>, 'entry' | 'services'>;
  /** The start of the wait, and the timers above the call, which are paused; null: it has not begun. */
  #begun: { readonly since: MonotonicTime; readonly paused: Disposable } | null = null;
  #disarm = () => {};

  constructor(job: Pick<Job<'runtime' | 'tree' | 'text'>, 'entry' | 'services'>) {
    this.#job = job;
  }

  /** Begins the wait, or goes on with it for another call. It is published again every `progressMs`. */
  waitFor(awaited: AwaitedCall): void {
    const { entry, services } = this.#job;
    const { sources, limits } = services.runtime;
    const { clock } = sources;
    this.#begun ??= { since: clock.elapsed(), paused: startWait(services.tree, entry, clock) };
    entry.waitsFor = awaited;
    services.text.waiting({ node: entry.id, waitsFor: awaited, elapsedMs: msSince(clock, this.#begun.since) });
    this.#disarm();
    this.#disarm = clock.after(limits.progressMs, () => this.waitFor(awaited));
  }

  [Symbol.dispose](): void {
    this.#disarm();
    this.#job.entry.waitsFor = null;
    this.#begun?.paused[Symbol.dispose]();
  }
}
