// Handles signals of the process. At Ctrl-C the child of npm receives SIGINT twice, from the terminal and from npm: signals within 100 ms count once.
import type { Clock } from '../sources/sources.ts';

/** Exit code of a process that was interrupted. */
export const interruptedCode = 130;

/** A person cannot press Ctrl-C twice within this time, in milliseconds. */
const togetherMs = 100;

/** Calls the listener for each of these signals. Signals that come together count once. */
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

/** A signal has interrupted the start. */
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
  /** Stops everything. Resolves when it has stopped. */
  shutDown(): Promise<void>;
  /** Skips the grace of the shutdown. */
  force(): void;
}

/**
 * Shuts down at the first signal, and exits with 0 afterwards, or with 1 if the shutdown rejects. Forces the shutdown at the second signal,
 * and exits with 130 afterwards. Exits with 130 at once at the third signal.
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
