// After the death of a host: which calls may have processes left, and the end of those. Processes live in the system's time, whatever
// the clock of the runtime is.
import type { Fact, ProcessStarted } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { readAgain, systemTable } from '../process/process-family.ts';
import { terminateLeftovers } from '../process/terminate-leftovers.ts';
import { systemSources } from '../sources/system.ts';

export interface LeftoversOptions {
  /** Started, and without a result. */
  readonly calls: readonly NodeId[];
  readonly facts: readonly Fact[];
  readonly termGraceMs: number;
  /** A session is not kept closed for longer by what cannot be ended. */
  readonly patienceMs: number;
  warn(message: string): void;
}

/** What a call shares with others of its host is not ended for it while that host lives, or may live: it ends its own. */
function isSeenTo({ shared }: ProcessStarted): 'yes' | 'perhaps' | 'no' {
  const host = shared && readAgain(shared.host, systemTable);
  if (host === 'unread') return 'perhaps';
  return host?.state === 'alive' ? 'yes' : 'no';
}

/** Resolves, when nothing of them is alive that is theirs to end or nobody waits any longer, with the calls of which something was and has ended. */
export async function endLeftovers({
  calls,
  facts,
  termGraceMs,
  patienceMs,
  warn,
}: LeftoversOptions): Promise<readonly NodeId[]> {
  const started = new Map(
    facts.flatMap((fact) => (fact.type === 'process_started' ? [[fact.node, fact] as const] : [])),
  );
  const byMarker = Map.groupBy(calls, (node) => started.get(node)?.shared?.marker ?? node);
  const leftovers = [...byMarker].flatMap(([marker, [node = marker]]) => {
    const process = started.get(node);
    const seenTo = process ? isSeenTo(process) : 'no';
    if (seenTo === 'perhaps')
      warn(`processes of ${marker} are left to a host of which the system does not say whether it lives`);
    if (seenTo !== 'no') return [];
    return [{ node: marker, group: process?.group ?? null, startTime: process?.startTime ?? null }];
  });
  if (leftovers.length === 0) return [];
  const { clock } = systemSources;
  const { promise: overdue, resolve } = Promise.withResolvers<null>();
  const disarm = clock.after(termGraceMs + patienceMs, () => resolve(null));
  const ends = await Promise.all(
    leftovers.map(async (leftover) => {
      const ended = await Promise.race([terminateLeftovers([leftover], { clock, termGraceMs }), overdue]);
      return { marker: leftover.node, ended };
    }),
  );
  disarm();
  const late = ends.flatMap(({ marker, ended }) => (ended ? [] : [marker]));
  if (late.length > 0) warn(`processes of ${late.join(', ')}, which a dead host has left, may still be alive`);
  return ends.flatMap(({ marker, ended }) => (ended?.length ? (byMarker.get(marker) ?? []) : []));
}
