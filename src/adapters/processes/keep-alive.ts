// Keeps the host's event loop alive while something waits for a timer of the clock: those timers do not.
import type { MessagePort } from 'node:worker_threads';

export class KeepAlive implements Disposable {
  #port: MessagePort | null = null;

  /** No effect while it holds already. */
  hold(): void {
    if (this.#port) return;
    this.#port = new MessageChannel().port1;
    this.#port.ref();
  }

  release(): void {
    this.#port?.close();
    this.#port = null;
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
