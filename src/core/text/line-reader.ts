// Splits a byte stream into lines with a limit on each, and separates a server's messages from other lines that it prints.

const newline = 0x0a;
/** Bytes that are kept of the start and of the end of a line that is too long. */
const edgeBytes = 512;
/** More pieces of one line are joined before the line is whole: a piece costs more than its bytes. */
const maxPieces = 256;

export interface LineReaderOptions {
  readonly maxBytes: number;
  /** Receives a line without its end. */
  onLine(line: string): void;
  /** Called instead for a line of more than `maxBytes`, with each piece of it: its bytes so far. */
  onTooLong(bytes: number): void;
  /** Called at the end of a line that was too long. */
  onLongLine?(line: LongLine): void;
}

/** A line that was too long to be kept. */
export interface LongLine {
  readonly bytes: number;
  readonly start: string;
  readonly end: string;
}

/** Splits a byte stream into lines. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The start and the end of a line that is too long, so far. */
  #edges: { readonly start: Buffer; end: Buffer } | null = null;

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
    if (this.#size > this.#options.maxBytes) return this.#skip(piece);
    this.#pieces.push(piece);
    if (this.#pieces.length > maxPieces) this.#pieces = [Buffer.concat(this.#pieces)];
  }

  #skip(piece: Buffer): void {
    const unread = this.#edges ? [piece] : [...this.#pieces, piece];
    this.#edges ??= { start: Buffer.concat(unread.map((one) => one.subarray(0, edgeBytes))), end: Buffer.alloc(0) };
    this.#edges.end = Buffer.concat([this.#edges.end, ...unread.map((one) => one.subarray(-edgeBytes))]).subarray(
      -edgeBytes,
    );
    this.#pieces = [];
    this.#options.onTooLong(this.#size);
  }

  #finishLine(): void {
    const bytes = this.#size;
    const edges = this.#edges;
    const line = edges ? '' : Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '');
    this.#pieces = [];
    this.#size = 0;
    this.#edges = null;
    if (!edges) return this.#options.onLine(line);
    const start = edges.start.toString('utf8', 0, edgeBytes);
    this.#options.onLongLine?.({ bytes, start, end: edges.end.toString('utf8') });
  }
}

export interface MessageReaderOptions {
  readonly maxFrameBytes: number;
  readonly maxNoiseBytes: number;
  /** Receives a line that begins like a JSON object. */
  onFrame(line: string): void;
  /** Receives what is left of such a line that was too long. */
  onLongFrame(line: LongLine): void;
  onViolation(message: string): void;
}

/** A message this many times too long is a violation; a shorter one that is too long is skipped. */
const maxSkippedFrames = 16;

/** Returns a reader that drops the lines which are no messages, up to a limit: real servers greet, and log to the wrong stream. */
export function createMessageReader(options: MessageReaderOptions): LineReader {
  const { maxFrameBytes, maxNoiseBytes, onFrame, onLongFrame, onViolation } = options;
  const maxSkippedBytes = maxSkippedFrames * maxFrameBytes;
  let noiseBytes = 0;
  const countNoise = (bytes: number) => {
    noiseBytes += bytes;
    if (noiseBytes > maxNoiseBytes)
      onViolation(`printed more than ${maxNoiseBytes} bytes to stdout that are no messages`);
  };
  const isFrame = (line: string) => line.trimStart().startsWith('{');
  return new LineReader({
    maxBytes: maxFrameBytes,
    onLine: (line) => (isFrame(line) ? onFrame(line) : countNoise(line.length)),
    onLongLine: (line) => (isFrame(line.start) ? onLongFrame(line) : countNoise(line.bytes)),
    onTooLong(bytes) {
      if (bytes > maxSkippedBytes) onViolation(`sent a message of more than ${maxSkippedBytes} bytes`);
    },
  });
}
