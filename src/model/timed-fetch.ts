// Fetches one response under timeouts and limits: an endpoint that stays silent is reported, a body that is too long fails.
import type { Clock, Disarm } from '../sources/sources.ts';
import { OverLimit, responseLimits } from './response-limits.ts';

export interface TimedFetchOptions {
  readonly clock: Clock;
  /** From the request to the first byte of the response's body. */
  readonly firstByteMs: number;
  /** Between bytes. */
  readonly idleMs: number;
  /** Called once, with a sentence, when the endpoint has been silent for too long. */
  readonly onSilent: (message: string) => void;
}

/** Measures from its construction to its disposal, which disarms its timer. */
export class TimedFetch implements Disposable {
  readonly #options: TimedFetchOptions;
  #phase: 'waiting' | 'streaming' | 'finished' = 'waiting';
  #timeoutMs: number;
  #since: number;
  #disarm: Disarm = () => {};
  #contentType: string | null = null;

  constructor(options: TimedFetchOptions) {
    this.#options = options;
    this.#timeoutMs = options.firstByteMs;
    this.#since = options.clock.now();
    this.#arm(options.firstByteMs);
  }

  /** The media type of the response; null before it. */
  get contentType(): string | null {
    return this.#contentType;
  }

  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const response = await globalThis.fetch(input, init);
    this.#contentType = response.headers.get('content-type');
    if (!response.body) return response;
    return new Response(response.ok ? this.#measured(response.body) : shortened(response.body), response);
  }

  /** After the finish reason: what may still come (usage) has `ms` milliseconds in all. */
  finish(ms: number): void {
    if (this.#phase !== 'finished') this.#enter('finished', ms);
  }

  [Symbol.dispose](): void {
    this.#disarm();
  }

  #enter(phase: 'streaming' | 'finished', timeoutMs: number): void {
    this.#disarm();
    this.#phase = phase;
    this.#timeoutMs = timeoutMs;
    this.#since = this.#options.clock.now();
    this.#arm(timeoutMs);
  }

  /** One timer for many bytes: when it fires, it is armed again for what is left since the last byte. */
  #arm(ms: number): void {
    const { clock, onSilent } = this.#options;
    this.#disarm = clock.after(ms, () => {
      const leftMs = this.#since + this.#timeoutMs - clock.now();
      if (leftMs > 0) this.#arm(leftMs);
      else onSilent(`The endpoint sent nothing for ${this.#timeoutMs} ms.`);
    });
  }

  #measured(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const { clock, idleMs } = this.#options;
    let bytes = 0;
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          if (this.#phase === 'waiting') this.#enter('streaming', idleMs);
          if (this.#phase === 'streaming') this.#since = clock.now();
          bytes += piece.length;
          if (bytes > responseLimits.maxBodyBytes) throw new OverLimit('maxBodyBytes');
          controller.enqueue(piece);
        },
      }),
    );
  }
}

function shortened(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let leftBytes: number = responseLimits.maxErrorBytes;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        controller.enqueue(piece.subarray(0, leftBytes));
        leftBytes -= piece.length;
        if (leftBytes <= 0) controller.terminate();
      },
    }),
  );
}
