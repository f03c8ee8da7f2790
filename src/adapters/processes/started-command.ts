// Starts a command and terminates it at its end: its own, or its signal's. Its pipes belong to the caller, or are read to their ends.
//
// 1. Nothing is spawned after a signal that has fired.
// 2. The first of two events decides: the command ended by itself (`exited`), or the signal fired (`stopped`).
// 3. Either way all remaining processes are terminated: no process of a completed command remains.
import { addAbortListener } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import { addMs, msUntil } from '../../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../core/sources/sources.ts';
import type { BoundedResult } from '../../core/text/bound-text.ts';
import { findFamilyNow, type ProcessFamily, readOrNull, systemTable } from './process-family.ts';
import { collectOutput, maxLiveChars } from './process-output.ts';
import type { ProcessInfo } from './process-table.ts';
import { runningFamilies } from './running-families.ts';
import { type Command, type Spawned, type SpawnFailed, spawnGroup } from './spawn.ts';
import { type TerminateResult, terminateFamily } from './terminate.ts';

export interface ProcessStartOptions {
  readonly signal: AbortSignal;
  /** Skips the grace. */
  readonly kill: AbortSignal;
  readonly clock: Clock;
  readonly termGraceMs: number;
  onStarted(started: { readonly group: number; readonly startTime: string }): void;
}

export interface Started {
  readonly kind: 'started';
  /** The input of the command; null if it has none. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Those beside the usual three. They have to be read: `ended` waits for their end. */
  readonly pipes: readonly Duplex[];
  /** Resolves when no process of it is left and its pipes are closed. Never rejects for what the command does. */
  readonly ended: Promise<CommandEnd>;
}

export interface CommandEnd extends TerminateResult {
  readonly kind: 'exited' | 'stopped';
  /** The exit code; null if a signal ended the process, which `exitSignal` names. */
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}

/** Milliseconds that the pipes may stay open when nothing of the family is left: a process that could not be found holds them. */
const drainMs = 250;

type TerminationResult = TerminateResult & Pick<CommandEnd, 'kind'>;

/** Waits for the end of the leader or for the signal, whichever is first, and terminates the family in the same tick. */
function terminateAtEnd(
  { child, leader }: Spawned,
  family: ProcessFamily,
  options: ProcessStartOptions,
  onTerminated: () => void,
): Promise<TerminationResult> {
  return new Promise((resolve, reject) => {
    const listeners = new DisposableStack();
    const terminate = (kind: TerminationResult['kind'], known: readonly ProcessInfo[]) => {
      listeners.dispose();
      onTerminated();
      terminateFamily(family, known, options).then((terminated) => resolve({ kind, ...terminated }), reject);
    };
    // its group cannot be another's yet: the leader has been reaped in this very tick
    const onExit = () => terminate('exited', groupExists(leader.pid) ? systemTable.group(leader.pid) : []);
    const onAbort = () => {
      const now = readOrNull(leader.pid, systemTable) ?? leader; // not reaped, so the number is its own
      terminate(now.state === 'zombie' ? 'exited' : 'stopped', findFamilyNow(now, systemTable)); // a zombie had ended by itself
    };
    if (options.signal.aborted) return onAbort(); // between the start and here
    child.on('exit', onExit);
    listeners.defer(() => void child.off('exit', onExit));
    listeners.use(addAbortListener(options.signal, onAbort));
  });
}

function groupExists(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

const waitForClose = (pipe: Readable) => new Promise<void>((resolve) => void pipe.once('close', resolve));

/**
 * Starts a command. `stopped`: nothing was started.
 * @returns Rejects if `onStarted` throws, when nothing of the command is left.
 */
export async function startProcess(
  command: Command,
  options: ProcessStartOptions,
): Promise<Started | SpawnFailed | { readonly kind: 'stopped' }> {
  const tracked = runningFamilies.track(command);
  const spawned = await spawnGroup(command, options.signal);
  if (spawned.kind !== 'spawned') {
    tracked.ended();
    return spawned;
  }
  const { child, stdin, stdout, stderr, pipes, leader } = spawned;
  const { clock, termGraceMs, kill } = options;
  let graceEnd: MonotonicTime | null = null;
  const family: ProcessFamily = {
    marker: command.marker,
    group: leader.pid,
    startTime: leader.startTime,
    isHeld: () => child.exitCode === null && child.signalCode === null,
    isInGrace: () => graceEnd !== null && !kill?.aborted && msUntil(clock, graceEnd) > 0,
  };
  tracked.started(family);
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const outputs = [stdout, stderr, ...pipes];
  const drained = Promise.all(outputs.map(waitForClose));
  const ending = terminateAtEnd(spawned, family, options, () => {
    graceEnd = addMs(clock.elapsed(), termGraceMs);
  });
  try {
    options.onStarted({ group: leader.pid, startTime: leader.startTime });
  } catch (error) {
    await terminateFamily(family, [leader], options); // what is not recorded must not run
    await exited; // reaped
    tracked.ended();
    throw error;
  }

  async function waitForEnd(): Promise<CommandEnd> {
    const how = await ending;
    await exited; // reaped
    const disarm = options.clock.after(drainMs, () => {
      for (const outlet of outputs) outlet.destroy();
    });
    await drained;
    disarm();
    tracked.ended();
    return { ...how, exitCode: child.exitCode, exitSignal: child.signalCode };
  }
  return { kind: 'started', stdin, stdout, stderr, pipes, ended: waitForEnd() };
}

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
  | (BoundedResult & Omit<TerminateResult, 'ended'> & { readonly kind: 'stopped' });

/** Runs a command, and keeps its output. When it resolves, no process of it is left. Never rejects for what the command does. */
export async function runProcess(command: Command, options: RunOptions): Promise<ProcessEnd> {
  const { input } = options;
  const started = await startProcess(input === undefined ? command : { ...command, stdin: 'pipe' }, options);
  if (started.kind === 'failed') return started;
  if (started.kind === 'stopped') return { kind: 'stopped', output: '', omitted: 0, forced: false };
  const { stdin, stdout, stderr } = started;
  stdin?.end(input);
  const limits = { maxChars: options.maxOutputChars, maxLiveChars };
  const output = collectOutput([stdout, stderr], limits, options.onOutput);
  const { kind, ended, exitCode, exitSignal, ...stop } = await started.ended;
  await output.closed;
  const kept = output.kept.result();
  if (kind === 'stopped') return { kind, ...kept, ...stop };
  return { kind, ...kept, exitCode, exitSignal, leftBehind: ended };
}
