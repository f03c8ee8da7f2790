// The wire of one request: fetch, with an eye on the bytes of the answer. It notices silence and an answer without end.
import type { Clock, Disarm } from '../sources/sources.ts';
import { limits, OverLimit } from './response-limits.ts';

/** Bytes that are read of the body of an error. */
export const maxErrorBytes = 65_536;

export interface WireOptions {
  readonly clock: Clock;
  /** From the request to the first byte of the answer's body. */
  readonly firstByteMs: number;
  /** Between bytes. */
  readonly idleMs: number;
  /** Called once, when the endpoint has been silent for too long. */
  readonly onSilent: (sentence: string) => void;
}

export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  /** From the answer's finish on: what may still come (usage) is not waited for longer than `ms`, whatever comes. */
  finished(ms: number): void;
  /** Of the answer; null before it. */
  readonly contentType: string | null;
  close(): void;
}

export function createWire({ clock, firstByteMs, idleMs, onSilent }: WireOptions): Wire {
  let phase: 'waiting' | 'streaming' | 'finished' = 'waiting';
  let limitMs = firstByteMs;
  let since = clock.now();
  let contentType: string | null = null;
  let disarm: Disarm = () => {};

  const arm = (ms: number): void => {
    disarm = clock.after(ms, () => {
      const leftMs = since + limitMs - clock.now();
      if (leftMs > 0) arm(leftMs);
      else onSilent(`The endpoint sent nothing for ${limitMs} ms.`);
    });
  };
  const begin = (next: typeof phase, ms: number): void => {
    if (phase === next && next !== 'waiting') return;
    disarm();
    phase = next;
    limitMs = ms;
    since = clock.now();
    arm(ms);
  };
  begin('waiting', firstByteMs);

  const watched = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    let bytes = 0;
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          if (phase === 'waiting') begin('streaming', idleMs);
          if (phase === 'streaming') since = clock.now();
          bytes += piece.length;
          if (bytes > limits.maxAnswerBytes) throw new OverLimit('maxAnswerBytes');
          controller.enqueue(piece);
        },
      }),
    );
  };

  return {
    async fetch(input, init) {
      const response = await globalThis.fetch(input, init);
      contentType = response.headers.get('content-type');
      if (!response.body) return response;
      return new Response(response.ok ? watched(response.body) : shortened(response.body), response);
    },
    finished: (ms) => begin('finished', ms),
    get contentType() {
      return contentType;
    },
    close: () => disarm(),
  };
}

function shortened(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let left = maxErrorBytes;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        controller.enqueue(piece.subarray(0, left));
        left -= piece.length;
        if (left <= 0) controller.terminate();
      },
    }),
  );
}
