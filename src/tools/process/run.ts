// Runs a command to its end: its own, or the ladder's. When it resolves, no process of it is left.
//
// 1. Nothing is spawned behind a signal that has fired.
// 2. The first of two decides what is said: the command ended by itself (`exited`), or the signal came (`stopped`).
// 3. Either way the ladder ends what remains: a command that completed leaves no process behind.
import type { Clock } from '../../sources/sources.ts';
import type { Bounded } from '../bound.ts';
import { type Family, firstOf, systemTable } from './find.ts';
import { collectOutput } from './output.ts';
import { type Command, type Spawned, type SpawnFailed, spawnGroup } from './spawn.ts';
import { type Terminated, terminateFamily } from './terminate.ts';

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Skips the grace. */
  readonly kill: AbortSignal;
  readonly clock: Clock;
  readonly termGraceMs: number;
  /** Characters of the output that are kept, head and tail together. */
  readonly maxOutputChars: number;
  /** Live output, bounded. */
  onOutput(text: string): void;
  onStarted(started: { readonly group: number; readonly startTime: string }): void;
}

export type ProcessEnd =
  | SpawnFailed
  | (Bounded & {
      readonly kind: 'exited';
      /** Null where a signal ended it; `exitSignal` names it then. */
      readonly exitCode: number | null;
      readonly exitSignal: string | null;
      /** How many processes it had left running. */
      readonly leftBehind: number;
    })
  | (Bounded & { readonly kind: 'stopped'; readonly forced: boolean });

/** What is shown while it comes; a build's log fits, a flood does not. */
const maxLiveChars = 262_144;
/** How long the pipes may stay open when nothing of the family is left: something that could not be found holds them. */
const drainMs = 250;

type Ending = Terminated & { readonly kind: 'exited' | 'stopped' };

/** Waits for the end of the leader or for the signal, whichever is first, and takes the ladder in the same tick. */
function end({ child, leader }: Spawned, family: Family, options: RunOptions): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      child.off('exit', onExit);
      options.signal.removeEventListener('abort', onAbort);
    };
    const terminate = (kind: Ending['kind'], first: Parameters<typeof terminateFamily>[1]) => {
      leave();
      terminateFamily(family, first, options).then((terminated) => resolve({ kind, ...terminated }), reject);
    };
    // its group cannot be another's yet: the leader has been reaped in this very tick
    const onExit = () => terminate('exited', groupExists(leader.pid) ? systemTable.group(leader.pid) : []);
    const onAbort = () => {
      const now = systemTable.read(leader.pid) ?? leader;
      terminate(now.state === 'zombie' ? 'exited' : 'stopped', firstOf(now, systemTable)); // a dead one had ended by itself
    };
    child.on('exit', onExit);
    options.signal.addEventListener('abort', onAbort);
    if (options.signal.aborted) onAbort(); // between the start and here
  });
}

function groupExists(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** Never rejects for what the command does. */
export async function runProcess(command: Command, options: RunOptions): Promise<ProcessEnd> {
  const { signal, clock, maxOutputChars, onOutput, onStarted } = options;
  if (signal.aborted) return { kind: 'stopped', output: '', omitted: 0, forced: false };
  const spawned = await spawnGroup(command);
  if (spawned.kind === 'failed') return spawned;
  const { child, stdout, stderr, leader } = spawned;
  const family: Family = { marker: command.marker, group: leader.pid, startTime: leader.startTime };
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const output = collectOutput([stdout, stderr], { maxChars: maxOutputChars, maxLiveChars }, onOutput);
  const ending = end(spawned, family, options);
  try {
    onStarted({ group: leader.pid, startTime: leader.startTime });
  } catch (error) {
    await terminateFamily(family, [leader], options); // what nobody has noted must not run
    throw error;
  }

  const { kind, ended, forced } = await ending;
  await exited; // reaped
  const disarm = clock.after(drainMs, () => {
    stdout.destroy();
    stderr.destroy();
  });
  await output.closed;
  disarm();
  const kept = output.end();
  if (kind === 'stopped') return { kind, ...kept, forced };
  return { kind, ...kept, exitCode: child.exitCode, exitSignal: child.signalCode, leftBehind: ended };
}
