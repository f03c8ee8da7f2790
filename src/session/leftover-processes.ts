// Ends the processes that a dead host left. Processes live in the system's time, whatever the clock of the runtime is.
import type { Fact, ProcessStarted } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { readAgain, systemTable } from '../process/process-family.ts';
import { terminateLeftovers } from '../process/terminate-leftovers.ts';
import { systemSources } from '../sources/system.ts';

export interface LeftoversOptions {
  /** Calls that had started and have no result. */
  readonly calls: readonly NodeId[];
  readonly facts: readonly Fact[];
  readonly termGraceMs: number;
  /** How long the session stays closed for processes that outlive their grace, in milliseconds. */
  readonly waitMs: number;
  warn(message: string): void;
}

/** Whether the process belongs to a host that is alive: a process that calls share is ended by its host, never for one of them. */
function hasLivingHost({ shared }: ProcessStarted): 'yes' | 'unknown' | 'no' {
  const host = shared && readAgain(shared.host, systemTable);
  if (host === 'unread') return 'unknown';
  return host?.state === 'alive' ? 'yes' : 'no';
}

/** Resolves with the calls of which a process was alive and has ended: when all have ended, or after the grace and `waitMs`. */
export async function terminateLeftoverProcesses({
  calls,
  facts,
  termGraceMs,
  waitMs,
  warn,
}: LeftoversOptions): Promise<readonly NodeId[]> {
  const started = new Map(
    facts.flatMap((fact) => (fact.type === 'process_started' ? [[fact.node, fact] as const] : [])),
  );
  const byMarker = Map.groupBy(calls, (node) => started.get(node)?.shared?.marker ?? node);
  const leftovers = [...byMarker].flatMap(([marker, [node = marker]]) => {
    const process = started.get(node);
    const livingHost = process ? hasLivingHost(process) : 'no';
    if (livingHost === 'unknown')
      warn(`The processes of ${marker} are left alone: the system does not say whether their host is alive.`);
    if (livingHost !== 'no') return [];
    return [{ node: marker, group: process?.group ?? null, startTime: process?.startTime ?? null }];
  });
  if (leftovers.length === 0) return [];
  const { clock } = systemSources;
  const { promise: overdue, resolve } = Promise.withResolvers<null>();
  const disarm = clock.after(termGraceMs + waitMs, () => resolve(null));
  const ends = await Promise.all(
    leftovers.map(async (leftover) => {
      const ended = await Promise.race([terminateLeftovers([leftover], { clock, termGraceMs }), overdue]);
      return { marker: leftover.node, ended };
    }),
  );
  disarm();
  const late = ends.flatMap(({ marker, ended }) => (ended ? [] : [marker]));
  if (late.length > 0) warn(`Processes that a dead host left may still be alive: those of ${late.join(', ')}.`);
  return ends.flatMap(({ marker, ended }) => (ended?.length ? (byMarker.get(marker) ?? []) : []));
}
