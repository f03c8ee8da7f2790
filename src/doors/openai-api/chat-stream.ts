// The chunks of Chat Completions.
import type { OpenAIStream } from './openai-stream.ts';

/** The fields that all chunks of an answer share. */
export interface ChunkHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export class ChatStream {
  readonly #stream: OpenAIStream;
  readonly #head: ChunkHead;

  constructor(stream: OpenAIStream, head: ChunkHead) {
    this.#stream = stream;
    this.#head = head;
  }

  start(): void {
    this.#stream.start();
    this.delta({ role: 'assistant', content: '' });
  }

  /** Sends a text. Returns false, and sends nothing, if the reader has no room. */
  text(content: string): boolean {
    if (!this.#stream.hasRoom) return false;
    this.delta({ content });
    return true;
  }

  delta(delta: object, rest: object = {}, finish_reason: string | null = null): void {
    this.#stream.event({ ...this.#chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...rest });
  }

  /** Sends a chunk without a choice. */
  usage(usage: object): void {
    this.#stream.event({ ...this.#chunk, choices: [], usage });
  }

  error(error: object): void {
    this.#stream.event(error);
  }

  endStream(): void {
    this.#stream.endStream('data: [DONE]\n\n');
  }

  /** Sends no comments any more: the client is gone. */
  stop(): void {
    this.#stream.stop();
  }

  get #chunk() {
    return { ...this.#head, object: 'chat.completion.chunk' };
  }
}
