// Runs the command of `shell` and `run_code` in an allowed folder, as a process of the call's own.
import { z } from 'zod';
import type { ClientMachine } from '../../../core/contracts/client-machine.ts';
import { maxOutputChars, type ToolContext, type ToolEnd } from '../../../core/contracts/tool.ts';
import { failedEnd, stoppedEnd, ToolRefusal } from '../../../core/tools/refusal.ts';
import type { CommandUser } from '../../processes/command-user.ts';
import { passedEnvironment } from '../../processes/environment.ts';
import type { Command } from '../../processes/spawn.ts';
import { type ProcessEnd, runProcess } from '../../processes/started-command.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { resolveInRoots } from './path-guard.ts';

export interface CommandOptions {
  readonly limits: BuiltinLimits;
  /** Time from TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
  /** Names of environment variables that commands receive, in addition to those that every child process gets (process/environment.ts). */
  readonly passEnvironment: readonly string[];
  /** Another user that commands run as. Left out: that of this process. */
  readonly user?: CommandUser | undefined;
  /** The machine of the client: where it has terminals, the commands of `shell` run in them. Left out: there is none. */
  readonly client?: ClientMachine | undefined;
}

/** The command of a call. */
export interface CallCommand extends Pick<Command, 'file' | 'args' | 'terminal'> {
  readonly cwd: string;
  /** Its stdin; closed if it is left out. */
  readonly input?: string | undefined;
}

/** Characters of the output that are reserved for the notes at its end. */
const notesChars = 256;

/** The schema of the call's timeout, as the model asks for it; 0: none. It names the default, and leaves it out of the input: a timeout that was set in the session takes its place. */
export const timeoutInput = ({ commandMs, commandMaxMs }: BuiltinLimits) =>
  z
    .int()
    .min(commandMs === 0 ? 0 : 1)
    .max(commandMaxMs)
    .optional()
    .meta({ default: commandMs, description: 'Milliseconds after which it is stopped: give more for long work.' });

/** Returns the client of a session in whose terminals its commands run; null: they are processes of the call's own. Another user of this machine has no terminal there. */
export const clientWithTerminals = (
  { client, user }: Pick<CommandOptions, 'client' | 'user'>,
  session: string,
): ClientMachine | null => (client?.offerOf(session).hasTerminals && user === undefined ? client : null);

/** Runs a command until it ends, or until the call is stopped. Never rejects. */
export async function runCommand(
  command: CallCommand,
  context: ToolContext,
  options: CommandOptions,
): Promise<ToolEnd> {
  const { signal, kill, clock, call } = context;
  const { cwd, input, ...program } = command;
  const { passEnvironment, user } = options;
  if (signal.aborted) return stoppedEnd;
  try {
    const { existing, missing } = resolveInRoots(context.roots, cwd);
    if (missing.length > 0) throw new ToolRefusal('tool_failed', `There is no folder ${cwd}.`);
    const client = clientWithTerminals(options, context.session);
    if (client) {
      const { runInTerminal } = await import('./run-in-terminal.ts');
      return await runInTerminal(client, { ...program, cwd: existing }, context);
    }
    const end = await runProcess(
      { ...program, cwd: existing, environment: passedEnvironment(passEnvironment, user), user, marker: call },
      {
        signal,
        kill,
        clock,
        termGraceMs: options.termGraceMs,
        maxOutputChars: maxOutputChars - notesChars,
        input,
        onOutput: (text) => context.output(text),
        onStarted: (started) => context.recordProcess(started),
      },
    );
    return toolEnd(end);
  } catch (error) {
    return failedEnd(error, cwd);
  }
}

function toolEnd(end: ProcessEnd): ToolEnd {
  if (end.kind === 'failed') {
    const code = end.isMissing ? 'program_missing' : 'tool_failed';
    return { kind: 'failed', code, message: end.message, output: end.message, effect: 'none' };
  }
  const omitted = end.omitted > 0 ? { omitted: end.omitted } : {};
  const printed = end.output === '' ? [] : [end.output.replace(/\n$/, '')];
  if (end.kind === 'stopped') {
    const { omitted: _, forced, ...stopped } = end;
    return { ...stopped, ...omitted, ...(forced && { forced }) };
  }
  const how = end.exitSignal === null ? `exit code ${end.exitCode}` : `ended by ${end.exitSignal}`;
  const left =
    end.leftBehind > 0 ? [`[${end.leftBehind} process(es) that it had left in the background were terminated]`] : [];
  const output = [...printed, `[${how}]`, ...left].join('\n');
  if (end.exitCode === 0) return { kind: 'completed', output, ...omitted };
  const effect = end.exitCode === null ? {} : { effect: 'done' as const }; // it has run to its own end
  return { kind: 'failed', code: 'command_failed', message: how, output, ...omitted, ...effect };
}
