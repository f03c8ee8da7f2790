// A stream of chunks of Chat Completions: server-sent events that end with [DONE].
import type { ServerResponse } from 'node:http';
import type { Clock, Disarm } from '../../core/sources/sources.ts';
import { commentEveryMs, sendEventStreamHeaders } from '../../gateway/http/event-stream.ts';

/** Bytes that may wait in the socket before text waits for the end of its block. */
const maxWaiting = 65_536;

/** The fields that all chunks of an answer share. */
export interface ChunkHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export class ChatStream {
  readonly #response: ServerResponse;
  readonly #head: ChunkHead;
  readonly #clock: Clock;
  #disarm: Disarm = () => {};

  constructor(response: ServerResponse, head: ChunkHead, clock: Clock) {
    this.#response = response;
    this.#head = head;
    this.#clock = clock;
  }

  start(): void {
    sendEventStreamHeaders(this.#response);
    this.#armComment();
    this.delta({ role: 'assistant', content: '' });
  }

  /** Sends a text. Returns false, and sends nothing, if the reader has no room. */
  text(content: string): boolean {
    if (this.#response.writableLength > maxWaiting) return false;
    this.delta({ content });
    return true;
  }

  delta(delta: object, rest: object = {}, finish_reason: string | null = null): void {
    this.event({ ...this.#chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...rest });
  }

  /** Sends a chunk without a choice. */
  usage(usage: object): void {
    this.event({ ...this.#chunk, choices: [], usage });
  }

  event(data: object): void {
    this.#response.write(`data: ${JSON.stringify(data)}\n\n`);
  }

  endStream(): void {
    this.stop();
    this.#response.end('data: [DONE]\n\n');
  }

  /** Sends no comments any more: the client is gone. */
  stop(): void {
    this.#disarm();
    this.#disarm = () => {};
  }

  get #chunk() {
    return { ...this.#head, object: 'chat.completion.chunk' };
  }

  #armComment(): void {
    this.#disarm = this.#clock.after(commentEveryMs, () => {
      this.#response.write(': still here\n\n');
      this.#armComment();
    });
  }
}
