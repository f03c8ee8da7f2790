// The tool `shell`: one command by /bin/sh, in an allowed folder. The folder is where it starts, not a sandbox.
import { z } from 'zod';
import { defineTool } from '../define.ts';
import { passedEnvironment } from '../process/environment.ts';
import { type ProcessEnd, runProcess } from '../process/run.ts';
import { maxOutputChars, type Tool, type ToolEnd } from '../tool.ts';
import { folderKey, pathInput, placeOf } from './inside.ts';
import { failed, Refusal } from './refusal.ts';

export interface ShellOptions {
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
  /** Variables of the host's environment that commands see, beyond the usual few. */
  readonly passEnvironment: readonly string[];
}

/** Left free in the output for what is said behind it. */
const notesChars = 256;
/** Linux takes no longer argument. */
const maxCommandChars = 32_768;

function ended(end: ProcessEnd): ToolEnd {
  if (end.kind === 'failed') {
    return { kind: 'failed', code: 'tool_failed', message: end.message, output: end.message, effect: 'none' };
  }
  const omitted = end.omitted > 0 ? { omitted: end.omitted } : {};
  if (end.kind === 'stopped') {
    return { kind: 'stopped', output: end.output, ...omitted, ...(end.forced && { forced: true }) };
  }
  const how = end.exitSignal === null ? `exit code ${end.exitCode}` : `ended by ${end.exitSignal}`;
  const left =
    end.leftBehind > 0 ? [`[${end.leftBehind} process(es) that it had left in the background were ended]`] : [];
  const printed = end.output === '' ? [] : [end.output.replace(/\n$/, '')];
  const output = [...printed, `[${how}]`, ...left].join('\n');
  if (end.exitCode === 0) return { kind: 'completed', output, ...omitted };
  return { kind: 'failed', code: 'command_failed', message: how, output, ...omitted };
}

export function shellTool({ termGraceMs, passEnvironment }: ShellOptions): Tool {
  return defineTool({
    name: 'shell',
    description:
      'Runs a command with /bin/sh and gives its output and exit code. There is no input and no terminal; what it leaves in the background ends with it.',
    input: z.object({
      command: z
        .string()
        .min(1)
        .max(maxCommandChars)
        .refine((command) => !command.includes('\0'), 'must not contain a NUL character'),
      cwd: pathInput.default('.').describe('The folder to run it in; the first allowed one by default.'),
    }),
    access: ({ cwd }, { roots }) => folderKey(roots, cwd),
    cancel: 'killable',
    effect: 'some',
    timeoutMs: 0,
    run: async ({ command, cwd }, context) => {
      try {
        const { existing, missing } = placeOf(context.roots, cwd);
        if (missing.length > 0) throw new Refusal('tool_failed', `There is no such folder: ${cwd}`);
        const end = await runProcess(
          {
            file: '/bin/sh',
            // one pipe for both streams keeps their order; on one line with the command, its line numbers stay right
            args: ['-c', `exec 2>&1; ${command}`],
            cwd: existing,
            environment: passedEnvironment(passEnvironment),
            marker: context.call,
          },
          {
            signal: context.signal,
            kill: context.kill,
            clock: context.clock,
            termGraceMs,
            maxOutputChars: maxOutputChars - notesChars,
            onOutput: (text) => context.output(text),
            onStarted: (started) => context.processStarted(started),
          },
        );
        return ended(end);
      } catch (error) {
        return failed(error, cwd);
      }
    },
  });
}
