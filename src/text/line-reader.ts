// Splits a byte stream into lines with a limit on each, and tells a server's messages from other lines that it prints.

const newline = 0x0a;
/** More pieces of one line are joined before the line is whole: a piece costs more than its bytes. */
const maxPieces = 256;

export interface LineReaderOptions {
  readonly maxBytes: number;
  /** Receives a line without its end. */
  onLine(line: string): void;
  /** Called instead, once or more, for a line of more than `maxBytes`. */
  onTooLong(): void;
}

/** Splits a byte stream into lines. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, to));
      this.#finishLine();
      from = to + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#options.maxBytes) return this.#options.onTooLong();
    this.#pieces.push(piece);
    if (this.#pieces.length > maxPieces) this.#pieces = [Buffer.concat(this.#pieces)];
  }

  #finishLine(): void {
    const isWhole = this.#size <= this.#options.maxBytes;
    const line = isWhole ? Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '') : '';
    this.#pieces = [];
    this.#size = 0;
    if (isWhole) this.#options.onLine(line);
  }
}

export interface MessageReaderOptions {
  readonly maxFrameBytes: number;
  readonly maxNoiseBytes: number;
  /** Receives a line that begins like a JSON object. */
  onFrame(line: string): void;
  onViolation(message: string): void;
}

/** Returns a reader that drops the lines which are no messages, up to a limit: real servers greet, and log to the wrong stream. */
export function createMessageReader(options: MessageReaderOptions): LineReader {
  const { maxFrameBytes, maxNoiseBytes, onFrame, onViolation } = options;
  let noiseBytes = 0;
  return new LineReader({
    maxBytes: maxFrameBytes,
    onLine(line) {
      if (line.trimStart().startsWith('{')) return onFrame(line);
      noiseBytes += line.length;
      if (noiseBytes > maxNoiseBytes)
        onViolation(`printed more than ${maxNoiseBytes} bytes to stdout that are no messages`);
    },
    onTooLong: () => onViolation(`sent a message of more than ${maxFrameBytes} bytes`),
  });
}
