// Interrupts of `belay run`, and exceptions that nobody catches: during the start they end it, then they stop the task, and in the end they force the shutdown.
import type { Clock } from '../core/sources/sources.ts';
import { onOutputClosed } from './closed-output.ts';
import { endingSignals, InterruptibleStart, interruptedCode, leaveMs, onSignal } from './signals.ts';
import { onUncaughtException } from './uncaught-exceptions.ts';

type State =
  | { readonly kind: 'starting' | 'leaving' }
  | { readonly kind: 'running'; readonly stop: (reason: string) => void }
  | { readonly kind: 'closing'; readonly force: () => void };

export class TaskInterrupts {
  readonly #start = new InterruptibleStart();
  #state: State = { kind: 'starting' };
  readonly #clock: Clock;
  readonly #isRemote: boolean;
  #hasHungUp = false;

  /** `shutdownMs`: of the runtime that runs the task; null: it runs at a gateway, which may not reply. */
  constructor(clock: Clock, shutdownMs: number | null) {
    this.#clock = clock;
    this.#isRemote = shutdownMs === null;
    onSignal(clock, endingSignals, (name) => {
      if (name === 'SIGHUP') this.#hangUp('its terminal was closed');
      else this.#interrupt(name === 'SIGINT' ? 'interrupted at the terminal' : `interrupted by ${name}`);
    });
    onOutputClosed(clock, () => this.#hangUp('its output was closed'));
    onUncaughtException(clock, { limitMs: 2 * (shutdownMs ?? leaveMs) }, () => this.#hangUp('its program has failed'));
  }

  /** Rejects with `StartInterrupted`. */
  get duringStart(): Promise<never> {
    return this.#start.interrupted;
  }

  /** The task has started: `stop` is called for every interrupt, with its reason. */
  stopWith(stop: (reason: string) => void): void {
    this.#state = { kind: 'running', stop };
  }

  /** The task is over, and what is left is being shut down: `force` is called at the next interrupt. */
  forceWith(force: () => void): void {
    this.#state = { kind: 'closing', force };
  }

  /** Nobody can interrupt a second time; and a closed terminal sends several signals: they count once, and force nothing. */
  #hangUp(reason: string): void {
    if (this.#hasHungUp) return;
    this.#hasHungUp = true;
    if (this.#isRemote) this.#clock.after(leaveMs, () => process.exit(interruptedCode));
    if (this.#state.kind === 'starting' || this.#state.kind === 'running') this.#interrupt(reason);
  }

  #interrupt(reason: string): void {
    const state = this.#state;
    switch (state.kind) {
      case 'starting':
        this.#state = { kind: 'leaving' };
        return this.#start.interrupt();
      case 'running':
        return state.stop(reason);
      case 'closing':
        this.#state = { kind: 'leaving' };
        return state.force();
      case 'leaving':
        process.exit(interruptedCode);
    }
  }
}
