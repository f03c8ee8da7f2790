// Tool `shell`: one command by /bin/sh, in an allowed folder. The command starts there; the folder is no sandbox.
import { z } from 'zod';
import type { Tool, ToolEnd } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { passedEnvironment } from '../../processes/environment.ts';
import { findProgram } from '../../processes/program-path.ts';
import { pathInput } from '../path-input.ts';
import { folderKey } from './path-guard.ts';
import { type CommandOptions, clientWithTerminals, runCommand, timeoutInput } from './run-command.ts';

/** Linux allows no longer argument. */
const maxCommandChars = 32_768;
const terminal = { columns: 120, rows: 40 };

/** Makes the tool `shell`. */
export function shellTool(options: CommandOptions): Tool {
  return defineTool({
    name: 'shell',
    description:
      'Runs a command with /bin/sh and returns its output and its exit code. There is no input; processes that it leaves in the background end with it.',
    input: z.object({
      command: z
        .string()
        .min(1)
        .max(maxCommandChars)
        .refine((command) => !command.includes('\0'), 'must not contain a NUL character'),
      cwd: pathInput.default('.').describe('The folder to run it in; the first allowed one by default.'),
      pty: z.boolean().default(false).describe('True: its output goes to a terminal, for programs that need one.'),
      timeoutMs: timeoutInput(options.limits),
    }),
    access: ({ cwd }, { roots }) => folderKey(roots, cwd),
    cancel: 'killable',
    stopMs: options.termGraceMs,
    effect: 'some',
    timeoutMs: ({ timeoutMs }, setMs) => timeoutMs ?? setMs ?? options.limits.commandMs,
    run: async ({ command, cwd, pty }, context) => {
      const { passEnvironment, user } = options;
      const hasTerminal = pty || clientWithTerminals(options, context.session) !== null;
      const missing = missingProgram(command, passedEnvironment(passEnvironment, user)['PATH']);
      const end = await runCommand(
        {
          file: '/bin/sh',
          // one pipe for both streams keeps their order; on one line with the command, its line numbers stay right
          args: ['-c', hasTerminal ? command : `exec 2>&1; ${command}`],
          cwd,
          terminal: pty ? terminal : undefined,
        },
        context,
        options,
      );
      return missing !== null && isNotFound(missing, end) ? { ...end, effect: 'none' } : end;
    },
  });
}

/** The name in a command that is one program alone, of which nothing else could run, if no folder of `path` has it; null otherwise. */
function missingProgram(command: string, path: string | undefined): string | null {
  const [program] = /^\s*[\w.+-]+(?=(\s[^;&|<>()`$\\\n]*)?$)/.exec(command) ?? [];
  return program === undefined || findProgram([program.trim()], path) !== null ? null : program.trim();
}

/** Whether the shell says that it has found no program of that name. Its words alone prove nothing: a program that ran can print them. */
function isNotFound(program: string, { kind, output }: ToolEnd): boolean {
  const message = `${program}: not found\n[exit code 127]`;
  return kind === 'failed' && output.endsWith(`: ${message}`) && output.indexOf('\n') === output.lastIndexOf('\n');
}
