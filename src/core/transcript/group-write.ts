// One group of facts on its way to the log: written once, however often the attempt is repeated.
//
// 1. A group is repeated only after a look at the head of the log: the answer to a write can be lost.
// 2. After `stop`, and after its outcome, it does nothing more.
import type { RecordedFact } from '../../../machines/facts.ts';
import { Fenced, type Log } from '../contracts/log.ts';
import type { Clock, Disarm } from '../sources/sources.ts';

const firstPauseMs = 20;
const maxPauseMs = 500;

export interface GroupWriteOptions {
  readonly log: Log;
  readonly session: string;
  readonly epoch: number;
  /** The sequence number that the log ends at before the group. */
  readonly from: number;
  readonly facts: readonly RecordedFact[];
  readonly clock: Clock;
  /** Milliseconds from the first failure to giving up; also how long an attempt may stay without any answer. */
  readonly storeDeadlineMs: number;
  /** Called once, unless it was stopped. */
  written(): void;
  /** Called once, unless it was stopped. `error` is the store's last one; null when it gave no answer. */
  failed(reason: 'store_failed' | 'fenced', error: unknown): void;
}

export class GroupWrite {
  readonly #options: GroupWriteOptions;
  #state: 'writing' | 'over' = 'writing';
  #failures = 0;
  #error: unknown = null;
  #disarmDeadline: Disarm | null = null;
  #disarmPause: Disarm | null = null;

  /** Starts the first attempt. */
  constructor(options: GroupWriteOptions) {
    this.#options = options;
    this.#armDeadline();
    void this.#attempt();
  }

  stop(): void {
    this.#state = 'over';
    this.#disarmDeadline?.();
    this.#disarmPause?.();
  }

  async #attempt(): Promise<void> {
    const { log, session, epoch, from, facts } = this.#options;
    try {
      if (this.#failures === 0 || !(await this.#isWritten())) {
        if (this.#state === 'over') return;
        await log.append(session, epoch, from, facts);
      }
    } catch (error) {
      return this.#repeat(error);
    }
    if (this.#state === 'over') return;
    this.stop();
    this.#options.written();
  }

  #repeat(error: unknown): void {
    if (this.#state === 'over') return;
    this.#error = error;
    if (error instanceof Fenced) return this.#fail('fenced');
    this.#failures++;
    if (this.#failures === 1) this.#armDeadline();
    const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (this.#failures - 1));
    this.#disarmPause = this.#options.clock.after(pauseMs, () => void this.#attempt());
  }

  async #isWritten(): Promise<boolean> {
    const { log, session, epoch, from, facts } = this.#options;
    const head = await log.head(session);
    if (head.epoch !== epoch) throw new Fenced(`${session} is in epoch ${head.epoch} by now, not in ${epoch}.`);
    return head.last === from + facts.length;
  }

  #armDeadline(): void {
    this.#disarmDeadline?.();
    const { clock, storeDeadlineMs } = this.#options;
    this.#disarmDeadline = clock.after(storeDeadlineMs, () => this.#fail('store_failed'));
  }

  #fail(reason: 'store_failed' | 'fenced'): void {
    this.stop();
    this.#options.failed(reason, this.#error);
  }
}
