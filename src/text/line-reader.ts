// Lines of a byte stream, with a bound on each; and the messages of a server among the lines that it prints.

const newline = 0x0a;
/** A line that came in more pieces than this is put together before it is whole: a piece costs more than its bytes. */
const maxPieces = 256;

/** `onLine` hears lines without their end. `onTooLong` is called instead, once or more, for one that never fits. */
export function createLineReader(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
  let pieces: Buffer[] = [];
  let size = 0;
  const keep = (piece: Buffer) => {
    size += piece.length;
    if (size > maxBytes) return onTooLong();
    pieces.push(piece);
    if (pieces.length > maxPieces) pieces = [Buffer.concat(pieces)];
  };
  const endLine = () => {
    const line = size > maxBytes ? null : Buffer.concat(pieces).toString('utf8').replace(/\r$/, '');
    pieces = [];
    size = 0;
    if (line !== null) onLine(line);
  };
  return {
    push(chunk: Buffer): void {
      let from = 0;
      for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
        keep(chunk.subarray(from, to));
        endLine();
        from = to + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
  };
}

export interface FramesOptions {
  readonly maxFrameBytes: number;
  readonly maxNoiseBytes: number;
  /** A line that begins like a message. */
  onFrame(line: string): void;
  onViolation(message: string): void;
}

/** What is no message is left out, within a bound: real servers greet, and log to the wrong stream. */
export function createMessageReader({ maxFrameBytes, maxNoiseBytes, onFrame, onViolation }: FramesOptions) {
  let noise = 0;
  const take = (line: string) => {
    if (line.trimStart().startsWith('{')) return onFrame(line);
    noise += line.length;
    if (noise > maxNoiseBytes) onViolation(`printed more than ${maxNoiseBytes} bytes to stdout that are no messages`);
  };
  return createLineReader(maxFrameBytes, take, () => onViolation(`sent a message of more than ${maxFrameBytes} bytes`));
}
