// Reads the keys of a terminal: decodes its input, and decides after a while that an Escape was the key.
import { msSince } from '../../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../core/sources/sources.ts';
import { KeyDecoder, type TerminalInput } from './key-decoder.ts';

/** Input that may be the beginning of a sequence is an Escape after this time, in milliseconds. */
const escapeMs = 50;
/** Input that comes within this time, in milliseconds, was typed before the terminal was in raw mode: Enter is a line feed in it. */
const typedAheadMs = 100;

export class KeyReader {
  readonly #input: NodeJS.ReadableStream;
  readonly #clock: Clock;
  readonly #onKeys: (keys: readonly TerminalInput[]) => void;
  readonly #decoder = new KeyDecoder();
  readonly #startedAt: MonotonicTime;
  #disarm = () => {};
  #hasRead = false;

  /** `onKeys` is called with the keys of each piece of input. `onGone`: the terminal is closed. */
  constructor(
    input: NodeJS.ReadableStream,
    clock: Clock,
    onKeys: (keys: readonly TerminalInput[]) => void,
    onGone: () => void,
  ) {
    this.#input = input;
    this.#clock = clock;
    this.#onKeys = onKeys;
    this.#startedAt = clock.elapsed();
    input.setEncoding('utf8');
    input.on('data', this.#onData);
    input.on('end', onGone);
    input.on('error', onGone); // it cannot be read, or be set back to its mode
  }

  close(): void {
    this.#disarm();
    this.#input.off('data', this.#onData);
  }

  readonly #onData = (data: Buffer | string): void => {
    this.#disarm();
    const isTypedAhead = !this.#hasRead && msSince(this.#clock, this.#startedAt) < typedAheadMs;
    this.#hasRead = true;
    this.#onKeys(this.#decoder.decode(isTypedAhead ? String(data).replaceAll('\n', '\r') : String(data)));
    if (this.#decoder.isWaiting) this.#disarm = this.#clock.after(escapeMs, () => this.#onKeys(this.#decoder.flush()));
  };
}
