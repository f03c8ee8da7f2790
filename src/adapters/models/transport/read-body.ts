// Reads the body of a response: server-sent events, JSON in place of them, or a text up to a limit. It needs no web streams for a
// response of http-fetch.ts.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Clock } from '../../../core/sources/sources.ts';
import { ServerSentEvents } from '../../../core/text/server-sent-events.ts';
import { BrokenBody } from './broken-body.ts';
import { NodeResponse } from './http-fetch.ts';

/** How long the end of a body may take after its last event, in milliseconds, before the connection is closed instead of kept. */
const drainMs = 1_000;

export interface BodyReader {
  readonly clock: Clock;
  /** Called for each piece of the body, with its size, before what it contains. Whoever limits the body throws here. */
  onPiece(bytes: number): void;
  /** Receives the data of an event. Returns whether it was the last: what follows is not read. */
  onEvent(data: string, type: string): boolean;
  /** Receives the whole body if it is JSON and no stream, whatever its content type says. */
  onJson(text: string): void;
}

/**
 * Reads a response to a request for a stream. Resolves at the end of the body, or at its last event. Rejects with what a function of
 * the reader throws, or with `BrokenBody`.
 */
export function readStreamedBody(response: Response, reader: BodyReader): Promise<void> {
  const stream = streamOf(response);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (stream === null) resolve();
  else new StreamedBody(stream, reader, { resolve, reject }).start();
  return promise;
}

/** Resolves with the beginning of the body, `maxBytes` at most, and closes the connection of a longer one. If it breaks, with what has arrived. */
export async function readTextUpTo(response: Response | NodeResponse, maxBytes: number): Promise<string> {
  const stream = streamOf(response);
  const pieces: Buffer[] = [];
  let leftBytes = maxBytes;
  try {
    for await (const piece of stream ?? []) {
      pieces.push(piece.subarray(0, leftBytes));
      leftBytes -= piece.length;
      if (leftBytes <= 0) break;
    }
  } catch {
    // the status is known: a part of the text is better than none
  }
  return Buffer.concat(pieces).toString('utf8');
}

function streamOf(response: Response | NodeResponse): Readable | null {
  if (response instanceof NodeResponse) return response.stream;
  return response.body && Readable.fromWeb(response.body as ReadableStream); // one type of two packages
}

interface Settle {
  resolve(): void;
  reject(error: unknown): void;
}

class StreamedBody {
  readonly #stream: Readable;
  readonly #reader: BodyReader;
  readonly #settle: Settle;
  readonly #events: ServerSentEvents;
  #form: 'unknown' | 'events' | 'json' = 'unknown';
  #json: Buffer[] = [];
  #isDone = false;

  constructor(stream: Readable, reader: BodyReader, settle: Settle) {
    this.#stream = stream;
    this.#reader = reader;
    this.#settle = settle;
    this.#events = new ServerSentEvents(reader);
  }

  start(): void {
    const stream = this.#stream;
    const settle = this.#settle;
    if (stream.destroyed) {
      settle.reject(new BrokenBody(stream.errored ?? undefined)); // it emits nothing any more
      return;
    }
    stream.on('data', (piece: Buffer) => this.#attempt(() => this.#addPiece(piece)));
    stream.on('end', () => this.#attempt(() => this.#finishBody()));
    stream.on('error', (error) => settle.reject(new BrokenBody(error)));
    stream.on('close', () => settle.reject(new BrokenBody()));
  }

  #attempt(work: () => void): void {
    try {
      if (!this.#isDone) work();
    } catch (error) {
      this.#isDone = true;
      this.#settle.reject(error);
      this.#stream.destroy();
    }
  }

  #addPiece(piece: Buffer): void {
    this.#reader.onPiece(piece.length);
    if (this.#form === 'unknown') this.#form = formOf(piece);
    if (this.#form === 'json') this.#json.push(piece);
    else this.#isDone = this.#events.push(piece);
    if (this.#isDone) this.#drain();
  }

  #finishBody(): void {
    if (this.#form === 'json') this.#reader.onJson(Buffer.concat(this.#json).toString('utf8'));
    else this.#events.finish();
    this.#settle.resolve();
  }

  /** The connection can be used again when its body has ended: that is mostly in the same packet. */
  #drain(): void {
    this.#settle.resolve();
    if (this.#stream.destroyed) return;
    const disarm = this.#reader.clock.after(drainMs, () => this.#stream.destroy());
    this.#stream.on('close', disarm);
  }
}

function formOf(piece: Buffer): 'unknown' | 'events' | 'json' {
  const first = piece.find((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d)); // no white space
  if (first === undefined) return 'unknown';
  return first === 0x7b || first === 0x5b ? 'json' : 'events'; // { or [
}
