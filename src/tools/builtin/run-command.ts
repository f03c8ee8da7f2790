// What `shell` and `run_code` have in common: a process of the call's own, in an allowed folder, for as long as the call may run.
import { z } from 'zod';
import { passedEnvironment } from '../../process/environment.ts';
import { type ProcessEnd, runProcess } from '../../process/run-to-end.ts';
import type { Command } from '../../process/spawn.ts';
import { failedEnd, Refusal, stoppedEnd } from '../refusal.ts';
import { maxOutputChars, type ToolContext, type ToolEnd } from '../tool.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { resolveInRoots } from './path-guard.ts';

export interface CommandOptions {
  readonly limits: BuiltinLimits;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
  /** Variables of the host's environment that commands see, beyond the usual few. */
  readonly passEnvironment: readonly string[];
}

/** What a call asks for. */
export interface Job extends Pick<Command, 'file' | 'args' | 'terminal'> {
  readonly cwd: string;
  /** What it reads; nothing where it is left out. */
  readonly input?: string;
}

/** Left free in the output for what is said behind it. */
const notesChars = 256;

/** The call's timeout, as the model asks for it: 0 is as long as it takes. */
export const timeoutInput = ({ commandMs, commandMaxMs }: BuiltinLimits) =>
  z
    .int()
    .min(commandMs === 0 ? 0 : 1)
    .max(commandMaxMs)
    .default(commandMs)
    .describe('Milliseconds after which it is stopped: give more to what takes long.');

/** Runs it to its own end, or the call's. */
export async function runCommand(job: Job, context: ToolContext, options: CommandOptions): Promise<ToolEnd> {
  const { signal, kill, clock, call } = context;
  const { cwd, input, ...program } = job;
  if (signal.aborted) return stoppedEnd;
  try {
    const { existing, missing } = resolveInRoots(context.roots, cwd);
    if (missing.length > 0) throw new Refusal('tool_failed', `There is no such folder: ${cwd}`);
    const end = await runProcess(
      { ...program, cwd: existing, environment: passedEnvironment(options.passEnvironment), marker: call },
      {
        signal,
        kill,
        clock,
        termGraceMs: options.termGraceMs,
        maxOutputChars: maxOutputChars - notesChars,
        ...(input !== undefined && { input }),
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
    const forced = end.forced ? { forced: true } : {};
    return { kind: 'stopped', output: end.output, ...omitted, ...forced };
  }
  const how = end.exitSignal === null ? `exit code ${end.exitCode}` : `ended by ${end.exitSignal}`;
  const left =
    end.leftBehind > 0 ? [`[${end.leftBehind} process(es) that it had left in the background were ended]`] : [];
  const output = [...printed, `[${how}]`, ...left].join('\n');
  if (end.exitCode === 0) return { kind: 'completed', output, ...omitted };
  const effect = end.exitCode === null ? {} : { effect: 'done' as const }; // it has run to its own end
  return { kind: 'failed', code: 'command_failed', message: how, output, ...omitted, ...effect };
}
