// The turns that were said at this terminal, and how an interrupt stops them: the first one cancels, the second forces.
import type { CancelHandle, CancelOptions } from '../client/cancel-in-flight.ts';
import { CommandRefused, SessionEnded } from '../client/errors.ts';
import type { ClientSession } from '../client/joined-session.ts';
import type { Turn } from '../client/turn.ts';
import { Listeners } from '../collections/listeners.ts';

const interruptReason = 'interrupted at the terminal';

/** Sends the CANCELs of one stop. */
type SendCancels = (options: CancelOptions) => readonly CancelHandle[];

type Stop =
  | { readonly kind: 'none' }
  | { readonly kind: 'cancelling' | 'forcing'; readonly send: SendCancels; readonly settled: Promise<unknown> };

export class InterruptibleTurns {
  readonly #session: Pick<ClientSession, 'say' | 'cancel'>;
  readonly #running = new Set<Turn>();
  readonly #idleListeners = new Listeners<void>();
  readonly #errorListeners = new Listeners<Error>();
  #stop: Stop = { kind: 'none' };

  constructor(session: Pick<ClientSession, 'say' | 'cancel'>) {
    this.#session = session;
  }

  /** Whether a turn of this terminal runs, or something is being stopped. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#stop.kind !== 'none';
  }

  /** Calls the listener whenever no turn of this terminal runs any more, and nothing is being stopped. */
  onIdle(listener: () => void): void {
    this.#idleListeners.on('idle', listener);
  }

  /** Calls the listener for a command that was not sent, or whose connection has gone. What the gateway refuses is a frame of the session. */
  onError(listener: (error: Error) => void): void {
    this.#errorListeners.on('error', listener);
  }

  say(text: string): Turn {
    const turn = this.#session.say(text);
    this.#running.add(turn);
    const remove = () => {
      this.#running.delete(turn);
      this.#reportIdle();
    };
    turn.ended.catch((error) => this.#reportError(error)).then(remove, remove);
    return turn;
  }

  /** `target`: a node id, `mine` or `session`. */
  stop(target: string, force: boolean): void {
    this.#send((options) => [this.#session.cancel(target, options)], force ? 'forcing' : 'cancelling');
  }

  /**
   * Stops the turns of this terminal; where there are none and `runsElsewhere` is true, everything that the speaker has running: it was said before, or at another terminal.
   * Returns what the interrupt does. `idle`: nothing, because nothing runs. `repeated`: nothing, because it was forced already.
   */
  interrupt(runsElsewhere: boolean): 'idle' | 'cancelling' | 'forcing' | 'repeated' {
    if (this.#stop.kind === 'forcing') return 'repeated';
    if (this.#stop.kind === 'cancelling') return this.#send(this.#stop.send, 'forcing');
    if (this.#running.size > 0) {
      const turns = [...this.#running];
      return this.#send((options) => turns.map((turn) => turn.cancel(options)), 'cancelling');
    }
    if (!runsElsewhere) return 'idle';
    return this.#send((options) => [this.#session.cancel('mine', options)], 'cancelling');
  }

  /** Resolves as soon as nothing is being stopped: every receipt has come. */
  async waitForStop(): Promise<void> {
    while (this.#stop.kind !== 'none') await this.#stop.settled;
  }

  /** Resolves as soon as every turn of this terminal has ended. */
  async waitForTurns(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running].map((turn) => turn.ended));
  }

  #send(send: SendCancels, kind: 'cancelling' | 'forcing'): 'cancelling' | 'forcing' {
    const cancels = send({ reason: interruptReason, force: kind === 'forcing' });
    for (const { accepted } of cancels) accepted.catch((error) => this.#reportError(error));
    const settled = Promise.allSettled(cancels.map((cancel) => cancel.settled));
    const stop: Stop = { kind, send, settled };
    this.#stop = stop;
    void settled.then(() => this.#onSettled(stop));
    return kind;
  }

  /** Every receipt of the stop has come. A later stop may have replaced it. */
  #onSettled(stop: Stop): void {
    if (this.#stop !== stop) return;
    this.#stop = { kind: 'none' };
    this.#reportIdle();
  }

  #reportIdle(): void {
    if (!this.isBusy) this.#idleListeners.emit('idle', undefined);
  }

  #reportError(error: unknown): void {
    if (error instanceof CommandRefused || error instanceof SessionEnded || !(error instanceof Error)) return;
    this.#errorListeners.emit('error', error);
  }
}
