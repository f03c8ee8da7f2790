// The events of a response as it is made, numbered.
import type { OpenAIStream } from './openai-stream.ts';
import type { ResponseListener } from './response-answer.ts';

export class ResponseStream implements ResponseListener {
  readonly #stream: OpenAIStream;
  #sent = 0;

  constructor(stream: OpenAIStream) {
    this.#stream = stream;
  }

  get hasRoom(): boolean {
    return this.#stream.hasRoom;
  }

  start(): void {
    this.#stream.start();
  }

  event(type: string, fields: object): void {
    this.#stream.event({ type, sequence_number: this.#sent++, ...fields }, type);
  }

  endStream(): void {
    this.#stream.endStream();
  }

  /** Sends no comments any more: the client is gone. */
  stop(): void {
    this.#stream.stop();
  }
}
