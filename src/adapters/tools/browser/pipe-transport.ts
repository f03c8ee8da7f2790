// Connects playwright to a Chromium over two pipes: JSON, each message ended by a NUL.
import type { Duplex } from 'node:stream';
import type { ConnectOverCDPTransport } from 'playwright-core';

/** Bytes of one message: a screenshot of a long page is some megabytes. */
const maxMessageBytes = 67_108_864;

/** Closes when the pipes do, on `close`, and after what is no message or too long. */
export class PipeTransport implements ConnectOverCDPTransport {
  onmessage?: (message: object) => void;
  onclose?: (reason?: string) => void;
  readonly #toBrowser: Duplex;
  #pieces: Buffer[] = [];
  #size = 0;
  #state: 'open' | 'closed' = 'open';

  constructor(toBrowser: Duplex, fromBrowser: Duplex) {
    this.#toBrowser = toBrowser;
    fromBrowser.on('data', (chunk: Buffer) => this.#receive(chunk));
    fromBrowser.on('close', () => this.close());
  }

  send(message: object): void {
    this.#toBrowser.write(`${JSON.stringify(message)}\0`);
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#pieces = [];
    queueMicrotask(() => this.onclose?.());
  }

  /** A closed transport still reads, so that the browser does not wait for room in the pipe. */
  #receive(chunk: Buffer): void {
    let from = 0;
    for (let to = chunk.indexOf(0); to !== -1 && this.#state === 'open'; to = chunk.indexOf(0, from)) {
      this.#pieces.push(chunk.subarray(from, to));
      from = to + 1;
      this.#emitMessage();
    }
    if (this.#state === 'closed') return;
    this.#size += chunk.length - from;
    this.#pieces.push(chunk.subarray(from));
    if (this.#size > maxMessageBytes) this.close();
  }

  #emitMessage(): void {
    const text = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    try {
      this.onmessage?.(JSON.parse(text));
    } catch {
      this.close();
    }
  }
}
