// Parses a stream of server-sent events, with a limit on each. Lines end with LF or CRLF: the lone CR of the standard is not supported.
import { LineReader } from '../text/line-reader.ts';

export interface ServerSentEventsOptions {
  readonly maxFrameBytes: number;
  /** Receives the data of each event of type `message`, unless it is empty. */
  onData(data: string): void;
  onViolation(message: string): void;
}

export class ServerSentEvents {
  readonly #options: ServerSentEventsOptions;
  readonly #lines: LineReader;
  #data: string[] = [];
  #dataChars = 0;
  #type = 'message';
  #lastEventId: string | null = null;
  #retryMs: number | null = null;

  constructor(options: ServerSentEventsOptions) {
    this.#options = options;
    this.#lines = new LineReader({
      maxBytes: options.maxFrameBytes,
      onLine: (line) => this.#receiveLine(line),
      onTooLong: () => this.#reportTooLong(),
    });
  }

  /** The id of the newest event that had one; null: none, the stream cannot be resumed. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** The pause before a resumption that the server asks for, in milliseconds; null: none. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  #receiveLine(line: string): void {
    if (line === '') return this.#dispatchEvent();
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    switch (field) {
      case 'data':
        return this.#addData(value);
      case 'event':
        this.#type = value;
        return;
      case 'id':
        if (value !== '' && !value.includes('\0')) this.#lastEventId = value;
        return;
      case 'retry':
        if (/^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
    }
  }

  #addData(value: string): void {
    this.#dataChars += value.length;
    if (this.#dataChars > this.#options.maxFrameBytes) this.#reportTooLong();
    else this.#data.push(value);
  }

  #dispatchEvent(): void {
    const data = this.#data.join('\n');
    const isMessage = this.#type === 'message' || this.#type === '';
    this.#data = [];
    this.#dataChars = 0;
    this.#type = 'message';
    if (isMessage && data !== '') this.#options.onData(data);
  }

  #reportTooLong(): void {
    this.#options.onViolation(`sent a message of more than ${this.#options.maxFrameBytes} bytes`);
  }
}
