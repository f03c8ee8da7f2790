// The tool `write_file`: a file is either as it was or wholly the new one, whenever the call or the host is stopped.
import { constants, lstat, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../define.ts';
import type { Tool, ToolContext, ToolEnd } from '../tool.ts';
import { folderKey, type Place, pathInput, placeOf } from './inside.ts';
import type { BuiltinLimits } from './limits.ts';
import { openFolder } from './open.ts';
import { failed, Refusal, stopped } from './refusal.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** The folder to write in, and the name to write there. */
function split({ root, existing, missing }: Place): { readonly folder: Place; readonly name: string } {
  const name = missing.at(-1);
  if (name !== undefined) return { folder: { root, existing, missing: missing.slice(0, -1) }, name };
  return { folder: { root, existing: dirname(existing), missing: [] }, name: basename(existing) };
}

/** The permissions of the file that is to be replaced; none where there is no file yet. */
async function modeOf(place: Place, path: string): Promise<number | undefined> {
  if (place.missing.length > 0) return undefined;
  const stat = await lstat(place.existing);
  if (!stat.isFile()) throw new Refusal('tool_failed', `${path} is no regular file.`);
  return stat.mode & 0o777;
}

/** How long the commit may take on a slow disk, in milliseconds: a rename, and the folder made durable. */
const shieldMaxMs = 2_000;

async function write(path: string, content: string, { roots, signal, call, shield }: ToolContext): Promise<ToolEnd> {
  const place = placeOf(roots, path);
  const mode = await modeOf(place, path);
  const { folder: where, name } = split(place);
  await using folder = await openFolder(where, roots);
  const draft = join(folder.base, `.belay-${call}`);
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    signal.throwIfAborted();
    await shield(async () => {
      await rename(draft, join(folder.base, name));
      await folder.sync();
    });
  } catch (error) {
    await unlink(draft).catch(() => {}); // it is the failure before it that counts
    if (signal.aborted) return stopped;
    throw error;
  }
  return { kind: 'completed', output: `Wrote ${Buffer.byteLength(content)} bytes to ${path}.` };
}

export function writeFileTool({ writeBytes }: BuiltinLimits): Tool {
  return defineTool({
    name: 'write_file',
    description: `Writes a text file, new or in place of the old one, at most ${writeBytes} bytes. Missing folders are made.`,
    input: z.object({ path: pathInput, content: z.string().describe('The whole text of the file.') }),
    access: ({ path }, { roots }) => folderKey(roots, path),
    cancel: 'shielded',
    shieldMaxMs,
    effect: 'some',
    run: async ({ path, content }, context) => {
      if (context.signal.aborted) return stopped;
      const size = Buffer.byteLength(content);
      if (size > writeBytes) {
        return failed(new Refusal('too_large', `content is ${size} bytes; at most ${writeBytes} are written.`), path);
      }
      return write(path, content, context).catch((error) => failed(error, path));
    },
  });
}
