// Handles signals of the process. npm sends its child the SIGINT that the terminal has sent to both: signals that come together count once.
import type { Clock } from '../sources/sources.ts';

/** Exit code of a process that was interrupted. */
export const interruptedCode = 130;

/** A person cannot press Ctrl-C twice as fast. */
const togetherMs = 100;

/** Calls the listener for each of these signals; several that come together count once. */
export function onSignal(clock: Clock, names: readonly NodeJS.Signals[], listener: () => void): void {
  let last = Number.NEGATIVE_INFINITY;
  for (const name of names) {
    process.on(name, () => {
      const now = clock.now();
      if (Math.abs(now - last) < togetherMs) return;
      last = now;
      listener();
    });
  }
}

/** A signal has come before the start was complete. */
export class StartInterrupted extends Error {
  override readonly name = 'StartInterrupted';

  constructor() {
    super('A signal has come before the start was complete.');
  }
}

/** A start that a signal can interrupt: `interrupted` rejects with `StartInterrupted`. */
export class InterruptibleStart {
  readonly #interrupted = Promise.withResolvers<never>();

  constructor() {
    this.#interrupted.promise.catch(() => {}); // when the start is over nobody awaits it
  }

  get interrupted(): Promise<never> {
    return this.#interrupted.promise;
  }

  interrupt(): void {
    this.#interrupted.reject(new StartInterrupted());
  }
}

export interface Shutdown {
  /** Stops everything. */
  shutDown(): Promise<void>;
  /** Skips the grace of the shutdown under way; what runs is stopped all the same. */
  force(): void;
}

/**
 * At the first signal starts the shutdown, and exits with 0 when it has resolved, with 1 when it rejects. At the second forces it, and
 * exits with 130 when it has resolved; at the third exits with 130, whatever is left.
 */
export function exitOnSignal(clock: Clock, shutdown: Shutdown): void {
  let state: 'running' | 'stopping' | 'forcing' = 'running';
  onSignal(clock, ['SIGINT', 'SIGTERM', 'SIGHUP'], () => {
    if (state === 'forcing') process.exit(interruptedCode);
    if (state === 'stopping') {
      state = 'forcing';
      return shutdown.force();
    }
    state = 'stopping';
    shutdown.shutDown().then(
      () => process.exit(state === 'forcing' ? interruptedCode : 0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
