// The receipts of the cancels that stop one turn: a turn that was cancelled has ended for its client when they have come.
import { listedNodes } from '../core/receipt/receipt.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import type { ClientSources } from './client-sources.ts';

/** The longest wait for receipts after the end of the turn: a cancel of a whole session settles with the slowest of its nodes. */
const receiptMs = 2_000;

export class AwaitedReceipts {
  readonly #clock: Pick<ClientSources['clock'], 'after'>;
  /** The ids of cancels that were accepted and have not settled. */
  readonly #cancels = new Set<string>();
  #isStopped = false;
  #state: { readonly kind: 'idle' | 'over' } | { readonly kind: 'waiting'; readonly finish: () => void } = {
    kind: 'idle',
  };

  constructor(clock: Pick<ClientSources['clock'], 'after'>) {
    this.#clock = clock;
  }

  /** Whether a receipt is missing. */
  get isWaiting(): boolean {
    return this.#cancels.size > 0;
  }

  /** Whether a cancel has stopped the turn. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Notes the cancels that stop the turn. Returns the frame if it is the receipt of one of them; else null. */
  receive(frame: ServerFrame, turn: string | null): ServerFrameOf<'cancel_settled'> | null {
    if (frame.type === 'cancel_accepted' && turn !== null && listedNodes(frame).includes(turn)) {
      this.#isStopped = true;
      this.#cancels.add(frame.cancel);
    }
    if (frame.type !== 'cancel_settled') return null;
    const isAwaited = this.#cancels.delete(frame.cancel);
    if (this.#cancels.size === 0) this.giveUp();
    return isAwaited ? frame : null;
  }

  /** No receipt can come any more. */
  endWait(): void {
    this.#cancels.clear();
    this.giveUp();
  }

  /** The turn has ended: calls `onReceived` when no receipt is missing any more, or after `receiptMs`. */
  waitThen(onReceived: () => void): void {
    if (this.#cancels.size === 0) return onReceived();
    const disarm = this.#clock.after(receiptMs, () => this.giveUp());
    const finish = () => {
      disarm();
      onReceived();
    };
    this.#state = { kind: 'waiting', finish };
  }

  /** No more receipts can come, or none is missing: ends the wait. */
  giveUp(): void {
    if (this.#state.kind !== 'waiting') return;
    const { finish } = this.#state;
    this.#state = { kind: 'over' };
    finish();
  }
}
