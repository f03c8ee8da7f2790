// Parses a stream of server-sent events. Lines end with LF or CRLF: the lone CR of the standard is not supported.
// It has no limit of size: the caller of `push` limits the body.
//
// Whole lines are decoded together, since a line break is never inside a character of UTF-8. Nearly all events have
// one `data` line: such an event costs one search and one slice.

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
/** The number of pieces of an unfinished line that are kept apart. More are joined, because each piece costs memory beside its bytes. */
const maxPieces = 256;

export interface ServerSentEventsOptions {
  /** Receives each event that has data. Returns true to stop: no further event of this `push` is passed on. */
  onEvent(data: string, type: string): boolean;
}

export class ServerSentEvents {
  readonly #options: ServerSentEventsOptions;
  /** The beginning of a line whose end has not arrived. */
  #unfinished: Buffer[] = [];
  #unfinishedBytes = 0;
  #data: string | null = null;
  #type = 'message';
  /** No line was decoded yet: the next text may start with a byte order mark. */
  #isStart = true;

  constructor(options: ServerSentEventsOptions) {
    this.#options = options;
  }

  /** Adds bytes, and passes on the events that they complete. Returns whether `onEvent` has stopped it. Throws what `onEvent` throws. */
  push(bytes: Buffer): boolean {
    const endOfLines = bytes.lastIndexOf(newline) + 1;
    if (endOfLines === 0) {
      this.#keep(bytes);
      return false;
    }
    const lines = bytes.subarray(0, endOfLines);
    const text = (this.#unfinishedBytes === 0 ? lines : Buffer.concat([...this.#unfinished, lines])).toString('utf8');
    this.#unfinished = [];
    this.#unfinishedBytes = 0;
    if (endOfLines < bytes.length) this.#keep(bytes.subarray(endOfLines));
    let from = this.#isStart && text.startsWith('\ufeff') ? 1 : 0;
    this.#isStart = false;
    for (let to = text.indexOf('\n', from); to !== -1; to = text.indexOf('\n', from)) {
      const end = to > from && text.charCodeAt(to - 1) === carriageReturn ? to - 1 : to;
      if (end === from) {
        if (this.#dispatch()) return true;
      } else if (text.startsWith('data:', from))
        this.#addData(text.slice(text.charCodeAt(from + 5) === space ? from + 6 : from + 5, end));
      else this.#readField(text.slice(from, end));
      from = to + 1;
    }
    return false;
  }

  /** Passes on the last event if only the empty line after it is missing. Call it after the last byte. */
  finish(): void {
    if (this.#unfinishedBytes === 0) this.#dispatch();
  }

  #keep(bytes: Buffer): void {
    this.#unfinished.push(bytes);
    if (this.#unfinished.length > maxPieces) this.#unfinished = [Buffer.concat(this.#unfinished)];
    this.#unfinishedBytes += bytes.length;
  }

  #addData(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
  }

  /** Reads a line without `data:`. `data` adds an empty line, `event` sets the type, `error` (of llama.cpp) is data of that type; all else is ignored. */
  #readField(line: string): void {
    if (line === 'data') this.#addData('');
    else if (line.startsWith('error:')) {
      this.#type = 'error';
      this.#addData(line.slice(6).trimStart());
    } else if (line.startsWith('event:')) this.#type = line.slice(line[6] === ' ' ? 7 : 6) || 'message';
  }

  #dispatch(): boolean {
    const data = this.#data;
    const type = this.#type;
    this.#data = null;
    this.#type = 'message';
    return data !== null && data !== '' && this.#options.onEvent(data, type);
  }
}
