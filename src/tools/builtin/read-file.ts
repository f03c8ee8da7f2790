// Tool `read_file`: a piece of a text file.
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { pathInput } from '../path-input.ts';
import { failedEnd, Refusal, stoppedEnd } from '../refusal.ts';
import type { Tool, ToolContext, ToolEnd } from '../tool.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { openFile } from './open-in-roots.ts';
import { resolveFile } from './path-guard.ts';

/** Counts the bytes at the end that start a character whose other bytes are missing. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back) ?? 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

interface Piece {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

async function readPiece({ path, offset, limit }: Piece, context: ToolContext): Promise<ToolEnd> {
  const handle = await openFile(resolveFile(context, path), context);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new Refusal('tool_failed', `${path} is a folder: use list_files.`);
    if (!stat.isFile()) throw new Refusal('tool_failed', `${path} is not a regular file.`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limit), 0, limit, offset);
    if (context.signal.aborted) return stoppedEnd;
    const read = buffer.subarray(0, bytesRead);
    if (read.includes(0)) throw new Refusal('tool_failed', `${path} is a binary file.`);
    const reachesEnd = offset + bytesRead >= stat.size;
    const whole = reachesEnd ? read : read.subarray(0, read.length - incompleteBytes(read));
    const next = offset + whole.length;
    const note = reachesEnd ? '' : `\n[bytes ${offset} to ${next} of ${stat.size}; continue with offset ${next}]`;
    return { kind: 'completed', output: whole.toString('utf8') + note };
  } finally {
    await handle.close();
  }
}

/** Makes the tool `read_file`. */
export function readFileTool({ readBytes }: BuiltinLimits): Tool {
  return defineTool({
    name: 'read_file',
    description: `Reads a text file, at most ${readBytes} bytes at once.`,
    input: z.object({
      path: pathInput,
      offset: z.int().min(0).default(0).describe('The first byte to read.'),
      limit: z.int().min(4).max(readBytes).default(readBytes).describe('How many bytes to read.'),
    }),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: async (input, context) =>
      context.signal.aborted ? stoppedEnd : readPiece(input, context).catch((error) => failedEnd(error, input.path)),
  });
}
