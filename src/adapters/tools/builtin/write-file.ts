// Tool `write_file`: replaces a file atomically. Whenever the call or the host is stopped, the file has its old or its new content, never a part.
import { z } from 'zod';
import type { ClientMachine } from '../../../core/contracts/client-machine.ts';
import type { Tool } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { failedEnd, stoppedEnd, ToolRefusal } from '../../../core/tools/refusal.ts';
import { pathInput } from '../path-input.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import type { FileOwner } from './open-in-roots.ts';
import { fileFolderKey } from './path-guard.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Makes the tool `write_file`.
 * @param owner Whom new files and folders belong to; by default the user of this process.
 * @param client Writes the files of its sessions itself, where it offers that.
 */
export function writeFileTool(
  { writeBytes, writeShieldMs: shieldMaxMs }: BuiltinLimits,
  owner?: FileOwner | undefined,
  client?: ClientMachine | undefined,
): Tool {
  return defineTool({
    name: 'write_file',
    description: `Creates a text file, or replaces it, with at most ${writeBytes} bytes. Creates missing folders.`,
    input: z.object({ path: pathInput, content: z.string().describe('The whole text of the file.') }),
    access: ({ path }, { roots }) => fileFolderKey(roots, path),
    cancel: 'shielded',
    shieldMaxMs,
    effect: 'some',
    async run({ path, content }, context) {
      if (context.signal.aborted) return stoppedEnd;
      const size = Buffer.byteLength(content);
      try {
        if (size > writeBytes) {
          throw new ToolRefusal(
            'too_large',
            `content has ${size} bytes: the limit is ${writeBytes}. Write a shorter file.`,
          );
        }
        if (client?.offerOf(context.session).writesFiles) {
          const { writeByClient } = await import('./write-by-client.ts');
          await writeByClient(client, path, content, context);
        } else await replaceFile(path, content, context, owner);
        return { kind: 'completed', output: `Wrote ${size} bytes to ${path}.` };
      } catch (error) {
        return context.signal.aborted ? stoppedEnd : failedEnd(error, path);
      }
    },
  });
}
