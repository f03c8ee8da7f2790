// Runs a command to its end and keeps its output. When it resolves, no process of it is left.
import type { BoundedResult } from '../../core/text/bound-text.ts';
import { collectOutput, maxLiveChars } from './process-output.ts';
import type { Command, SpawnFailed } from './spawn.ts';
import { type ProcessStartOptions, startProcess } from './started-command.ts';

export interface RunOptions extends ProcessStartOptions {
  /** Characters of the output that are kept, head and tail together. */
  readonly maxOutputChars: number;
  /** Its stdin; closed by default. */
  readonly input?: string | undefined;
  /** Receives live output, up to `maxLiveChars`, then a line that says that there is more. */
  onOutput(text: string): void;
}

export type ProcessEnd =
  | SpawnFailed
  | (BoundedResult & {
      readonly kind: 'exited';
      /** The exit code; null if a signal ended the process, which `exitSignal` names. */
      readonly exitCode: number | null;
      readonly exitSignal: string | null;
      /** How many processes it had left running. */
      readonly leftBehind: number;
    })
  | (BoundedResult & { readonly kind: 'stopped'; readonly forced: boolean });

/** Runs a command. Never rejects for what the command does. */
export async function runProcess(command: Command, options: RunOptions): Promise<ProcessEnd> {
  const { input } = options;
  const started = await startProcess(input === undefined ? command : { ...command, stdin: 'pipe' }, options);
  if (started.kind === 'failed') return started;
  if (started.kind === 'stopped') return { kind: 'stopped', output: '', omitted: 0, forced: false };
  const { stdin, stdout, stderr } = started;
  stdin?.end(input);
  const limits = { maxChars: options.maxOutputChars, maxLiveChars };
  const output = collectOutput([stdout, stderr], limits, options.onOutput);
  const { kind, ended, forced, exitCode, exitSignal } = await started.ended;
  await output.closed;
  const kept = output.kept.result();
  if (kind === 'stopped') return { kind, ...kept, forced };
  return { kind, ...kept, exitCode, exitSignal, leftBehind: ended };
}
