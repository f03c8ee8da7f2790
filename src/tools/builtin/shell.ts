// The tool `shell`: one command by /bin/sh, in an allowed folder. The folder is where it starts, not a sandbox.
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { pathInput } from '../path-input.ts';
import type { Tool } from '../tool.ts';
import { folderKey } from './path-guard.ts';
import { type CommandOptions, runCommand, timeoutInput } from './run-command.ts';

/** Linux takes no longer argument. */
const maxCommandChars = 32_768;
const terminal = { columns: 120, rows: 40 };

export function shellTool(options: CommandOptions): Tool {
  return defineTool({
    name: 'shell',
    description:
      'Runs a command with /bin/sh and gives its output and exit code. There is no input; what it leaves in the background ends with it.',
    input: z.object({
      command: z
        .string()
        .min(1)
        .max(maxCommandChars)
        .refine((command) => !command.includes('\0'), 'must not contain a NUL character'),
      cwd: pathInput.default('.').describe('The folder to run it in; the first allowed one by default.'),
      pty: z.boolean().default(false).describe('True: its output goes to a terminal, for programs that want one.'),
      timeoutMs: timeoutInput(options.limits),
    }),
    access: ({ cwd }, { roots }) => folderKey(roots, cwd),
    cancel: 'killable',
    stopMs: options.termGraceMs,
    effect: 'some',
    timeoutMs: ({ timeoutMs }) => timeoutMs,
    run: ({ command, cwd, pty }, context) =>
      runCommand(
        {
          file: '/bin/sh',
          // one pipe for both streams keeps their order; on one line with the command, its line numbers stay right
          args: ['-c', pty ? command : `exec 2>&1; ${command}`],
          cwd,
          ...(pty && { terminal }),
        },
        context,
        options,
      ),
  });
}
