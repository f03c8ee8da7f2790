// Terminates the processes that a dead host left. Uses the system's clock: real processes do not follow a fake clock of the runtime.
import type { Fact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Leftover, Processes } from '../contracts/processes.ts';
import { systemSources } from '../sources/system.ts';

export interface LeftoversOptions {
  readonly processes: Processes;
  /** Calls that had started before the host died and have no result. */
  readonly calls: readonly NodeId[];
  readonly facts: readonly Fact[];
  readonly termGraceMs: number;
  /** How much longer than the grace to wait, in milliseconds. The session opens after that at the latest. */
  readonly waitMs: number;
  /** Called with the number of processes that were alive and have ended. */
  onEnded?(processes: number): void;
  warn(message: string): void;
}

interface CallsOfLeftover extends Leftover {
  /** The calls that have used the processes: more than one if they were shared. */
  readonly calls: readonly NodeId[];
}

/**
 * Terminates the processes of calls. Resolves with the calls of which a process was alive and has ended: as soon as all have ended, or
 * after the grace and `waitMs`.
 */
export async function terminateLeftoverProcesses(options: LeftoversOptions): Promise<readonly NodeId[]> {
  const { processes, termGraceMs, waitMs, warn } = options;
  const leftovers = findLeftovers(options);
  if (leftovers.length === 0) return [];
  const { clock } = systemSources;
  const { promise: timeIsUp, resolve } = Promise.withResolvers<null>();
  const disarm = clock.after(termGraceMs + waitMs, () => resolve(null));
  const results = await Promise.all(
    leftovers.map(async (leftover) => {
      const ended = await Promise.race([processes.terminateLeftover(leftover, { clock, termGraceMs }), timeIsUp]);
      return { leftover, ended };
    }),
  );
  disarm();
  const unfinished = results.flatMap(({ leftover, ended }) => (ended === null ? [leftover.node] : []));
  if (unfinished.length > 0) {
    const waited = `${termGraceMs + waitMs} ms after TERM`;
    const marks = `${processes.markerName}=${unfinished.join(', ')}`;
    warn(`Processes of a dead host may still be alive ${waited}: those marked ${marks}.`);
  }
  const endedProcesses = results.reduce((sum, { ended }) => sum + (ended ?? 0), 0);
  if (endedProcesses > 0) options.onEnded?.(endedProcesses);
  // 0: no process was alive
  return results.flatMap(({ leftover, ended }) => (ended === null || ended === 0 ? [] : leftover.calls));
}

/** Finds what may be alive of the calls' processes: one entry for each marker. Excludes those of a host that is or may be alive. */
function findLeftovers({ processes, calls, facts, warn }: LeftoversOptions): readonly CallsOfLeftover[] {
  const started = new Map(
    facts.flatMap((fact) => (fact.type === 'process_started' ? [[fact.node, fact] as const] : [])),
  );
  const byMarker = Map.groupBy(calls, (node) => started.get(node)?.shared?.marker ?? node);
  return [...byMarker].flatMap(([marker, sharing]) => {
    const first = sharing.map((node) => started.get(node)).find((fact) => fact !== undefined);
    const host = first?.shared?.host;
    // only its living host may terminate a shared process: other calls may use it
    const state = host ? processes.stateOf(host) : 'dead';
    if (state === 'unknown')
      warn(
        `The processes marked ${processes.markerName}=${marker} are not terminated: the state of their host (pid ${host?.pid}) cannot be read.`,
      );
    if (state !== 'dead') return [];
    return [{ node: marker, group: first?.group ?? null, startTime: first?.startTime ?? null, calls: sharing }];
  });
}
