// The wait of a call for another call: published to the session, and left out of the timeouts of the call and of everything above it.
import type { AwaitedCall } from '../../../machines/live-view.ts';
import { startWait } from '../live/waits.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { MonotonicTime } from '../sources/sources.ts';
import type { Job } from './worker.ts';

type WaitingJob = Pick<Job<'runtime' | 'tree' | 'text'>, 'entry' | 'services'>;

/** A wait that starts with the first `waitFor`, and ends when it is disposed. */
export class CallWait implements Disposable {
  readonly #job: WaitingJob;
  /** The start of the wait, and the timers of the call and above it, which are paused until it is disposed; null: the wait has not started. */
  #started: { readonly since: MonotonicTime; readonly pausedTimers: Disposable } | null = null;
  #disarm = () => {};

  constructor(job: WaitingJob) {
    this.#job = job;
  }

  /** Starts the wait, or continues it for another call. Publishes it now and every `progressMs`. */
  waitFor(awaited: AwaitedCall): void {
    const { entry, services } = this.#job;
    const { sources, limits } = services.runtime;
    const { clock } = sources;
    this.#started ??= { since: clock.elapsed(), pausedTimers: startWait(services.tree, entry, clock) };
    entry.waitsFor = awaited;
    services.text.waiting({ node: entry.id, waitsFor: awaited, elapsedMs: msSince(clock, this.#started.since) });
    this.#disarm();
    this.#disarm = clock.after(limits.progressMs, () => this.waitFor(awaited));
  }

  [Symbol.dispose](): void {
    this.#disarm();
    this.#job.entry.waitsFor = null;
    this.#started?.pausedTimers[Symbol.dispose]();
  }
}
