// A process of the simulated world: what it has in flight is gone when it dies, and nothing that it does after its death has an effect.
import type { Clock, Disarm } from '../../../src/core/sources/sources.ts';
import type { Scheduler } from './scheduler.ts';

export class SimulatedProcess {
  readonly #scheduler: Scheduler;
  readonly #inFlight = new Set<Disarm>();
  #state: 'alive' | 'dead' = 'alive';

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Whether it has died. Its promises still settle: whoever gives it access to the world asks this first. */
  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** The scheduler's clock, with timers of this process. */
  get clock(): Clock {
    return this.#timersOn(this.#scheduler.clock);
  }

  /** See `Scheduler.workClock`. */
  workClock(name: string, jitterMs: number): Clock {
    return this.#timersOn(this.#scheduler.workClock(name, jitterMs));
  }

  /** See `Scheduler.put`. */
  put(lane: string, withinMs: number, act: () => void): Disarm {
    return this.#own((owned) => this.#scheduler.put(lane, withinMs, owned), act);
  }

  die(): void {
    this.#state = 'dead';
    for (const remove of this.#inFlight) remove();
    this.#inFlight.clear();
  }

  #timersOn(clock: Clock): Clock {
    return { ...clock, after: (ms, fn) => this.#own((owned) => clock.after(ms, owned), fn) };
  }

  #own(put: (owned: () => void) => Disarm, act: () => void): Disarm {
    if (this.isDead) return () => {};
    const remove = put(() => {
      this.#inFlight.delete(remove);
      act();
    });
    this.#inFlight.add(remove);
    return () => {
      this.#inFlight.delete(remove);
      remove();
    };
  }
}
