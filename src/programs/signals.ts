// Handles signals of the process, and exceptions that nobody catches. At Ctrl-C the child of npm receives SIGINT twice, from the terminal and from npm: signals within 100 ms count once.

import { msBetween } from '../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../core/sources/sources.ts';
import { printBug } from '../core/text/print-line.ts';
import { readProcessStart, signalsIgnoredAt } from './ignored-signals.ts';
import { failedCode } from './run-as-program.ts';
import { type LastResort, onUncaughtException } from './uncaught-exceptions.ts';

/** Exit code of a process that was interrupted. */
export const interruptedCode = 130;

/** How long a client whose terminal is gone waits for the gateway to stop what it has said, in milliseconds: nobody could interrupt it again. */
export const leaveMs = 5_000;

/** A person cannot press Ctrl-C twice within this time, in milliseconds. */
export const togetherMs = 100;

/**
 * Every signal that ends a process and can be caught, except those of a fault of its own and those that Node keeps for itself. SIGHUP says that the
 * terminal is gone: nobody can ask a second time. Some of them do not exist on every system; there they never come.
 */
export const endingSignals: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
  'SIGQUIT',
  'SIGABRT',
  'SIGALRM',
  'SIGUSR2',
  'SIGVTALRM',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
  'SIGSYS',
  'SIGXCPU',
];

/** Calls the listener for each of these signals. Signals that come together count once. A signal that was ignored at the start stays ignored. */
export function onSignal(
  clock: Clock,
  names: readonly NodeJS.Signals[],
  listener: (name: NodeJS.Signals) => void,
): void {
  const ignored = signalsIgnoredAt(readProcessStart());
  let last: MonotonicTime | null = null;
  for (const name of names) {
    process.on(name, () => {
      const now = clock.elapsed();
      if (ignored.has(name) || (last !== null && msBetween(last, now) < togetherMs)) return;
      last = now;
      listener(name);
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

export interface Shutdown extends LastResort {
  /** The signals that shut down; the others are ignored. Default: all. */
  readonly signals?: readonly NodeJS.Signals[];
  /** Shuts down like the first signal when it resolves: the program has nothing to do any more. Left out: it always has. */
  readonly ended?: Promise<void>;
  /** Stops everything. Resolves when it has stopped. */
  shutDown(): Promise<void>;
  /** Skips the grace of the shutdown. */
  force(): void;
  /** Called at SIGTERM, before `shutDown`. Resolves when that is to be called; it is called before at the next signal. Left out: it is called at once. */
  drain?(): Promise<void>;
  /** Drains as SIGTERM does when it resolves. Left out: nobody else asks for it. */
  readonly drainAsked?: Promise<void>;
}

/**
 * Shuts down at the first signal, after a drain if it is SIGTERM and there is one, and exits with 0 afterwards, or with 1 if the shutdown rejects. Ends a drain that goes on at the second signal. Forces the shutdown at the next signal,
 * and exits with 130 afterwards. Exits with 130 at once at the one after that. A SIGHUP after the first signal changes nothing: a
 * closed terminal sends several. An exception that nobody catches shuts down like the first signal; the exit code is 1 then.
 * Returns a function that shuts down like the first signal, and does nothing after it.
 */
export function exitAfterShutdown(clock: Clock, shutdown: Shutdown): () => void {
  let state: 'running' | 'draining' | 'stopping' | 'forcing' = 'running';
  const stop = () => {
    state = 'stopping';
    shutdown.shutDown().then(
      () => process.exit(state === 'forcing' ? interruptedCode : process.exitCode), // it is 1 after an exception
      (error) => {
        printBug(error);
        process.exit(failedCode);
      },
    );
  };
  const stopOnce = () => {
    if (state === 'running' || state === 'draining') stop();
  };
  const drainOnce = () => {
    if (state !== 'running' || !shutdown.drain) return stopOnce();
    state = 'draining';
    shutdown.drain().then(stopOnce, stopOnce);
  };
  onUncaughtException(clock, shutdown, stopOnce);
  void shutdown.ended?.then(stopOnce);
  void shutdown.drainAsked?.then(() => state === 'running' && drainOnce());
  const { signals = endingSignals } = shutdown;
  onSignal(clock, endingSignals, (name) => {
    if (!signals.includes(name)) return;
    if (name === 'SIGHUP' && state !== 'running') return;
    if (state === 'forcing') process.exit(interruptedCode);
    if (state === 'stopping') {
      state = 'forcing';
      return shutdown.force();
    }
    if (name === 'SIGTERM' && state === 'running') drainOnce();
    else stop();
  });
  return stopOnce;
}
