// Finds the signals that were ignored when the process was started (by `nohup`, or a shell's `trap '' HUP`): they stay ignored.
//
// Node sets the dispositions of all signals back at its start, so what the kernel says now is not enough. The command of the package (bin/belay)
// names them in a variable before it starts Node; in a checkout a shell that runs `nohup`, or ignores SIGHUP itself, can be recognized.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';

/** Holds the mask of ignored signals as /proc/self/status has it: hexadecimal, bit 0 is signal 1. */
export const ignoredVariable = 'BELAY_IGNORED_SIGNALS';

export interface ProcessStart {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The mask of ignored signals of the process, and of its parent; 0 where the system does not say. */
  readonly ignoredMask: bigint;
  readonly parentIgnoredMask: bigint;
}

/** Returns the signals that were ignored at the start. */
export function signalsIgnoredAt({
  environment,
  ignoredMask,
  parentIgnoredMask,
}: ProcessStart): ReadonlySet<NodeJS.Signals> {
  const mask = ignoredMask | maskOf(environment[ignoredVariable]);
  const ignored = new Set<NodeJS.Signals>();
  for (const [name, number] of Object.entries(constants.signals)) {
    if (mask & bitOf(number)) ignored.add(name as NodeJS.Signals); // the keys of the table are their names
  }
  // bash and zsh name the program that they run; only SIGHUP of the parent: a program may ignore others while it waits
  const isUnderNohup = basename(environment['_'] ?? '') === 'nohup';
  if (isUnderNohup || parentIgnoredMask & bitOf(constants.signals.SIGHUP)) ignored.add('SIGHUP');
  return ignored;
}

/** Reads how this process was started. */
export const readProcessStart = (): ProcessStart => ({
  environment: process.env,
  ignoredMask: readIgnoredMask('self'),
  parentIgnoredMask: readIgnoredMask(String(process.ppid)),
});

const bitOf = (signal: number) => 1n << BigInt(signal - 1);

const maskOf = (hexadecimal: string | undefined): bigint =>
  hexadecimal !== undefined && /^[0-9a-f]{1,32}$/i.test(hexadecimal) ? BigInt(`0x${hexadecimal}`) : 0n;

function readIgnoredMask(pid: string): bigint {
  try {
    return maskOf(/^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    return 0n; // not Linux
  }
}
