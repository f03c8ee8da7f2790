// The events of a response as it is made, numbered.
import type { HttpCall } from '../../gateway/http/route.ts';
import { DataStream } from '../door-turns/data-stream.ts';
import type { ItemReader } from './response-answer.ts';

export class ResponseStream implements ItemReader {
  readonly #stream: DataStream;
  #sent = 0;

  constructor(call: HttpCall) {
    this.#stream = new DataStream(call);
  }

  get hasRoom(): boolean {
    return this.#stream.hasRoom;
  }

  start(): void {
    this.#stream.start(() =>
      this.event('error', { code: 'token_expired', message: 'The token has expired.', param: null }),
    );
  }

  event(type: string, fields: object): void {
    this.#stream.send({ type, sequence_number: this.#sent++, ...fields });
  }

  endStream(): void {
    this.#stream.endStream();
  }

  /** Sends no comments any more: the client is gone. */
  stop(): void {
    this.#stream.stop();
  }
}
