// Tool `read_file`: a piece of a text file, or an image.
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { ClientMachine } from '../../../core/contracts/client-machine.ts';
import type { Tool, ToolContext, ToolEnd } from '../../../core/contracts/tool.ts';
import { imageTypeOf, signatureBytes } from '../../../core/text/image-type.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { failedEnd, stoppedEnd, ToolRefusal } from '../../../core/tools/refusal.ts';
import { pathInput } from '../path-input.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { openFile } from './open-in-roots.ts';
import { type ResolvedPath, resolveFile } from './path-guard.ts';

/** A larger file is not fetched from the client: it is read from the disk. */
const maxClientBytes = 4_194_304;

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

async function readPiece(
  { path, offset, limit }: Piece,
  context: ToolContext,
  { imageBytes }: BuiltinLimits,
  client: ClientMachine | null,
): Promise<ToolEnd> {
  const resolved = resolveFile(context, path);
  const handle = await openFile(resolved, context);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new ToolRefusal('tool_failed', `${path} is a folder: use list_files.`);
    if (!stat.isFile()) throw new ToolRefusal('tool_failed', `${path} is not a regular file.`);
    const start = await handle.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
    const mediaType = imageTypeOf(start.buffer.subarray(0, start.bytesRead));
    if (mediaType !== null) return await readImage(path, mediaType, handle, imageBytes);
    const text = stat.size > maxClientBytes ? null : await textOfClient(client, resolved, context);
    if (context.signal.aborted) return stoppedEnd;
    if (text !== null) return pieceOf(path, text.subarray(offset, offset + limit), offset, text.length);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limit), 0, limit, offset);
    if (context.signal.aborted) return stoppedEnd;
    return pieceOf(path, buffer.subarray(0, bytesRead), offset, stat.size);
  } finally {
    await handle.close();
  }
}

/** Returns the end of a call that has read these bytes. */
function pieceOf(path: string, read: Buffer, offset: number, size: number): ToolEnd {
  if (read.includes(0)) throw new ToolRefusal('tool_failed', `${path} is a binary file.`);
  const reachesEnd = offset + read.length >= size;
  const whole = reachesEnd ? read : read.subarray(0, read.length - incompleteBytes(read));
  const next = offset + whole.length;
  const note = reachesEnd ? '' : `\n[bytes ${offset} to ${next} of ${size}; continue with offset ${next}]`;
  return { kind: 'completed', output: whole.toString('utf8') + note };
}

/** Resolves with a text as the session's client has it: with what is not saved. Null: the client reads no files, or not this one. */
async function textOfClient(
  client: ClientMachine | null,
  { existing, missing }: ResolvedPath,
  { session, signal }: ToolContext,
): Promise<Buffer | null> {
  if (!client?.offerOf(session).readsFiles) return null;
  const text = await client.readTextFile(session, join(existing, ...missing), signal).catch(() => null);
  return text === null ? null : Buffer.from(text);
}

/** Reads all of an image, wherever the piece would start. */
async function readImage(path: string, mediaType: string, handle: FileHandle, maxBytes: number): Promise<ToolEnd> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
  if (bytesRead > maxBytes)
    throw new ToolRefusal('too_large', `${path} is an image of more than ${maxBytes} bytes, which is the limit.`);
  const data = buffer.subarray(0, bytesRead);
  return { kind: 'completed', output: '', parts: [{ type: 'image', data, mediaType, name: basename(path) }] };
}

/** Makes the tool `read_file`. `client`: reads texts of its sessions itself, where it offers that. */
export function readFileTool(limits: BuiltinLimits, client: ClientMachine | null = null): Tool {
  const { readBytes } = limits;
  return defineTool({
    name: 'read_file',
    description: `Reads a text file, at most ${readBytes} bytes at once. Shows an image file (PNG, JPEG, GIF, WebP).`,
    input: z.object({
      path: pathInput,
      offset: z.int().min(0).default(0).describe('The first byte to read.'),
      limit: z.int().min(4).max(readBytes).default(readBytes).describe('How many bytes to read.'),
    }),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: async (input, context) =>
      context.signal.aborted
        ? stoppedEnd
        : readPiece(input, context, limits, client).catch((error) => failedEnd(error, input.path)),
  });
}
