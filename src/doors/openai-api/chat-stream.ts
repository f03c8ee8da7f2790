// A stream of chunks of Chat Completions, which ends with [DONE].
import type { HttpCall } from '../../gateway/http/route.ts';
import { DataStream } from '../door-turns/data-stream.ts';
import { openAIError } from './openai-error.ts';

/** The fields that all chunks of an answer share. */
export interface ChunkHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export class ChatStream {
  readonly #stream: DataStream;
  readonly #head: ChunkHead;

  constructor(call: HttpCall, head: ChunkHead) {
    this.#stream = new DataStream(call);
    this.#head = head;
  }

  start(): void {
    this.#stream.start(() => this.event(openAIError(401, 'token_expired', 'The token has expired.')));
    this.delta({ role: 'assistant', content: '' });
  }

  /** Sends a text. Returns false, and sends nothing, if the reader has no room. */
  text(content: string): boolean {
    if (!this.#stream.hasRoom) return false;
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
    this.#stream.send(data);
  }

  endStream(): void {
    this.#stream.endStream('[DONE]');
  }

  /** Sends no comments any more: the client is gone. */
  stop(): void {
    this.#stream.stop();
  }

  get #chunk() {
    return { ...this.#head, object: 'chat.completion.chunk' };
  }
}
