// After the death of a host: which calls may have processes left, and the end of those.
import type { Fact, ProcessStarted } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import { systemTable } from '../tools/process/find.ts';
import { terminateLeftovers } from '../tools/process/leftovers.ts';

export interface LeftoversOptions {
  /** Started, and without a result. */
  readonly calls: readonly NodeId[];
  readonly facts: readonly Fact[];
  readonly clock: Clock;
  readonly termGraceMs: number;
}

/** What a call shares with others of its host is not ended for it while that host lives: it ends its own. */
function isSeenTo({ shared }: ProcessStarted): boolean {
  const host = shared && systemTable.read(shared.host.pid);
  return host?.state === 'alive' && host.startTime === shared?.host.startTime;
}

/** Resolves, when nothing of them is alive that is theirs to end, with the calls of which something still was. */
export async function endLeftovers({ calls, facts, clock, termGraceMs }: LeftoversOptions): Promise<readonly NodeId[]> {
  const started = new Map(
    facts.flatMap((fact) => (fact.type === 'process_started' ? [[fact.node, fact] as const] : [])),
  );
  const byMarker = Map.groupBy(calls, (node) => started.get(node)?.shared?.marker ?? node);
  const leftovers = [...byMarker].flatMap(([marker, [node = marker]]) => {
    const process = started.get(node);
    if (process && isSeenTo(process)) return [];
    return [{ node: marker, group: process?.group ?? null, startTime: process?.startTime ?? null }];
  });
  const ended = await terminateLeftovers(leftovers, { clock, termGraceMs });
  return ended.flatMap(({ node: marker }) => byMarker.get(marker) ?? []);
}
