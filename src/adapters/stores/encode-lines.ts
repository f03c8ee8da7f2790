// The bodies of many events as JSON lines, in pieces of memory that another thread can be given without a copy.
import type { LogBody } from '../../core/contracts/log.ts';
import { runInSlices, type Steps } from '../../core/transcript/in-slices.ts';

/** The size of a piece, in characters, about. */
const pieceChars = 1_048_576;

type Piece = Uint8Array<ArrayBuffer>;

function* stepsToEncode(bodies: readonly LogBody[]): Steps<readonly Piece[]> {
  const encoder = new TextEncoder();
  const pieces: Piece[] = [];
  let lines: string[] = [];
  let chars = 0;
  for (const [i, body] of bodies.entries()) {
    const line = JSON.stringify(body);
    lines.push(line);
    chars += line.length;
    if (chars >= pieceChars || i === bodies.length - 1) {
      pieces.push(encoder.encode(lines.join('\n')));
      lines = [];
      chars = 0;
    }
    yield line.length;
  }
  return pieces;
}

/** Resolves with the JSON texts of bodies, each a line, and with the memory that they are in. Works in slices, between which the event loop turns. */
export async function encodeLines(
  bodies: readonly LogBody[],
): Promise<{ readonly lines: readonly Piece[]; readonly memory: readonly ArrayBuffer[] }> {
  const lines = await runInSlices(stepsToEncode(bodies));
  return { lines, memory: lines.map(({ buffer }) => buffer) };
}
