// After the death of a host: which calls may have processes left, and the end of those.
import type { Fact } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import { terminateLeftovers } from '../tools/process/leftovers.ts';

export interface LeftoversOptions {
  /** Started, and without a result. */
  readonly calls: readonly NodeId[];
  readonly facts: readonly Fact[];
  readonly clock: Clock;
  readonly termGraceMs: number;
}

/** Resolves, when nothing of them is alive, with the calls of which something still was. */
export async function endLeftovers({ calls, facts, clock, termGraceMs }: LeftoversOptions): Promise<readonly NodeId[]> {
  const started = new Map(
    facts.flatMap((fact) => (fact.type === 'process_started' ? [[fact.node, fact] as const] : [])),
  );
  const ended = await terminateLeftovers(
    calls.map((node) => started.get(node) ?? { node, group: null, startTime: null }),
    { clock, termGraceMs },
  );
  return ended.map(({ node }) => node);
}
