// The metrics of all processes of `belay serve --workers` together. Loaded with the first scrape.
import {
  countersOf,
  createSummedMetrics,
  type MetricsSnapshot,
  mergeSnapshots,
  type SummedMetrics,
  sumSnapshots,
} from '../adapters/telemetry/sum-metrics.ts';
import type { Clock } from '../core/sources/sources.ts';

/** How long a worker may take to say what its metrics are, in milliseconds. Then its last ones count. */
const replyMs = 1_000;

/** `Key` stands for a worker. */
export class WorkerMetrics<Key> {
  readonly #clock: Clock;
  /** Those of this process. */
  readonly #own: SummedMetrics;
  readonly #last = new Map<Key, MetricsSnapshot>();
  readonly #replies = new Map<Key, PromiseWithResolvers<void>>();
  /** Counters of workers that have exited. Each scrape makes one of them. */
  readonly #past: MetricsSnapshot[] = [];
  #round: Promise<string> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#own = createSummedMetrics(clock);
  }

  /** Resolves with the text for a scrape; scrapes that come together share one. `ask`: asks a worker, whose reply goes to `onMeasured`. */
  read(workers: readonly Key[], ask: (worker: Key) => void): Promise<string> {
    this.#round ??= this.#measure(workers, ask).finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  onMeasured(worker: Key, snapshot: MetricsSnapshot): void {
    this.#last.set(worker, snapshot);
    this.#replies.get(worker)?.resolve();
  }

  /** The worker has ended: what it had counted at its last scrape stays in the sum. */
  onGone(worker: Key): void {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    this.#replies.get(worker)?.resolve();
    if (last) this.#past.push(countersOf(last));
  }

  async #measure(workers: readonly Key[], ask: (worker: Key) => void): Promise<string> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const disarm = this.#clock.after(replyMs, resolve);
    const replies = workers.map((worker) => {
      const reply = Promise.withResolvers<void>();
      this.#replies.set(worker, reply);
      ask(worker);
      return reply.promise;
    });
    await Promise.race([Promise.all(replies), late]);
    disarm();
    this.#replies.clear();
    const past = [...this.#past];
    if (past.length > 1) this.#past.splice(0, past.length, await mergeSnapshots(past));
    return sumSnapshots([await this.#own.snapshot(), ...this.#last.values(), ...this.#past]);
  }
}
