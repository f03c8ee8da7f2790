// Tool `run_code`: runs a script for Node or Python in a process of its own. The script is sent to stdin, so no file remains.
import { z } from 'zod';
import { namesOf } from '../../../core/collections/fields.ts';
import type { Tool, ToolEnd } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { passedEnvironment } from '../../processes/environment.ts';
import { findProgram } from '../../processes/program-path.ts';
import { pathInput } from '../path-input.ts';
import { folderKey } from './path-guard.ts';
import { type CommandOptions, runCommand, timeoutInput } from './run-command.ts';

interface Interpreter {
  /** The path of the interpreter; null: it is not installed. */
  find(path: string | undefined): string | null;
  readonly args: readonly string[];
}

const languages = {
  // CommonJS or ES modules: Node detects which the script uses
  node: { find: () => process.execPath, args: ['-'] },
  python: { find: (path) => findProgram(['python3', 'python'], path), args: ['-u', '-'] },
} satisfies Record<string, Interpreter>;

const maxCodeChars = 262_144;

/** Runs the interpreter with one pipe for both streams, which keeps their order. */
const inOnePipe = ['-c', 'exec "$0" "$@" 2>&1'];

const missing = (language: string): ToolEnd => {
  const message = `${language} is not installed on this host.`;
  return { kind: 'failed', code: 'program_missing', message, output: message, effect: 'none' };
};

/** Makes the tool `run_code`. */
export function runCodeTool(options: CommandOptions): Tool {
  return defineTool({
    name: 'run_code',
    description:
      'Runs a script and returns its output and its exit code. There is no input; processes that it leaves in the background end with it.',
    input: z.object({
      language: z.enum(namesOf(languages)),
      code: z.string().min(1).max(maxCodeChars),
      cwd: pathInput.default('.').describe('The folder to run it in; the first allowed one by default.'),
      timeoutMs: timeoutInput(options.limits),
    }),
    access: ({ cwd }, { roots }) => folderKey(roots, cwd),
    cancel: 'killable',
    stopMs: options.termGraceMs,
    effect: 'some',
    timeoutMs: ({ timeoutMs }, setMs) => timeoutMs ?? setMs ?? options.limits.commandMs,
    async run({ language, code, cwd }, context) {
      const { find, args }: Interpreter = languages[language];
      const interpreter = find(passedEnvironment(options.passEnvironment)['PATH']);
      if (interpreter === null) return missing(language);
      const program = { file: '/bin/sh', args: [...inOnePipe, interpreter, ...args] };
      return runCommand({ ...program, cwd, input: code }, context, options);
    },
  });
}
