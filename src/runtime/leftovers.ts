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
  const left = facts.filter((fact) => fact.type === 'process_started' && calls.includes(fact.node));
  const ended = await terminateLeftovers(
    left.flatMap((fact) => (fact.type === 'process_started' ? [fact] : [])),
    { clock, termGraceMs },
  );
  return [...new Set(ended.map(({ node }) => node))];
}
