// Tool `list_files`: the entries of a folder.
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { z } from 'zod';
import type { Tool, ToolContext, ToolEnd } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { failedEnd, stoppedEnd, ToolRefusal } from '../../../core/tools/refusal.ts';
import { pathInput } from '../path-input.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { openFolder } from './open-in-roots.ts';
import { resolveFile } from './path-guard.ts';

/** Keeps a name with a line break on one line. */
const nameText = (name: string) => (/[\p{Cc}]/u.test(name) ? JSON.stringify(name) : name);

const line = (entry: Dirent) =>
  nameText(entry.name) + (entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : entry.isFile() ? '' : '=');

async function list(path: string, context: ToolContext, maxEntries: number): Promise<ToolEnd> {
  const resolved = resolveFile(context, path);
  if (resolved.missing.length > 0) throw new ToolRefusal('tool_failed', `There is no folder ${path}.`);
  await using folder = await openFolder(resolved, context);
  const lines: string[] = [];
  for await (const entry of await opendir(folder.base)) {
    if (context.signal.aborted) return stoppedEnd;
    if (lines.length === maxEntries) {
      const note = `[${maxEntries} entries are listed, in no order; there are more]`;
      return { kind: 'completed', output: [...lines, note].join('\n') };
    }
    lines.push(line(entry));
  }
  return { kind: 'completed', output: lines.length > 0 ? lines.sort().join('\n') : '[the folder is empty]' };
}

/** Makes the tool `list_files`. */
export function listFilesTool({ entries }: BuiltinLimits): Tool {
  return defineTool({
    name: 'list_files',
    description: `Lists a folder, at most ${entries} entries. Folders end with "/", symbolic links with "@", pipes and devices with "=".`,
    input: z.object({ path: pathInput.default('.') }),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: async ({ path }, context) =>
      context.signal.aborted ? stoppedEnd : list(path, context, entries).catch((error) => failedEnd(error, path)),
  });
}
