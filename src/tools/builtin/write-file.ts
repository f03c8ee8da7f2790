// The tool `write_file`: a file is either as it was or wholly the new one, whenever the call or the host is stopped.
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { pathInput } from '../path-input.ts';
import { failedEnd, Refusal, stoppedEnd } from '../refusal.ts';
import type { Tool } from '../tool.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { folderKey } from './path-guard.ts';
import { replaceFile } from './replace-file.ts';

export function writeFileTool({ writeBytes, writeShieldMs: shieldMaxMs }: BuiltinLimits): Tool {
  return defineTool({
    name: 'write_file',
    description: `Writes a text file, new or in place of the old one, at most ${writeBytes} bytes. Missing folders are made.`,
    input: z.object({ path: pathInput, content: z.string().describe('The whole text of the file.') }),
    access: ({ path }, { roots }) => folderKey(roots, path),
    cancel: 'shielded',
    shieldMaxMs,
    effect: 'some',
    async run({ path, content }, context) {
      if (context.signal.aborted) return stoppedEnd;
      const size = Buffer.byteLength(content);
      try {
        if (size > writeBytes) {
          throw new Refusal('too_large', `content is ${size} bytes; at most ${writeBytes} are written.`);
        }
        await replaceFile(path, content, context);
        return { kind: 'completed', output: `Wrote ${size} bytes to ${path}.` };
      } catch (error) {
        return context.signal.aborted ? stoppedEnd : failedEnd(error, path);
      }
    },
  });
}
