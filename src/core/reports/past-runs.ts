// Finds past runs: the root turns of a session by who said them, how they ended, which tool they called, why they were stopped, and when.
import type { SequencedFact } from '../../../machines/facts.ts';
import type { CauseSource, NodeId, OutcomeKind } from '../../../machines/vocabulary.ts';
import { cancelsOf } from './cancel-report.ts';
import { type NodeReport, nodesOf } from './node-report.ts';

/** What a run must be to be found. A field that is left out excludes none. */
export interface RunFilter {
  /** How it ended; `open`: it has not. */
  readonly state?: OutcomeKind | 'open' | undefined;
  readonly speaker?: string | undefined;
  /** A tool or an agent that it has called, or one below it. */
  readonly tool?: string | undefined;
  /** The source of a CANCEL that stopped it, or something below it. */
  readonly cause?: CauseSource | undefined;
  /** From when on it was opened, in milliseconds since 1970. */
  readonly since?: number | undefined;
}

/** Returns the root turns of a session that the filter lets pass, the newest first. */
export function findRuns(
  facts: readonly SequencedFact[],
  { state, speaker, tool, cause, since }: RunFilter,
): readonly NodeReport[] {
  const nodes = nodesOf(facts);
  const rootOf = (id: NodeId): NodeId => {
    const parent = nodes.get(id)?.parent ?? null;
    return parent === null ? id : rootOf(parent);
  };
  const calling = new Set([...nodes.values()].filter(({ name }) => name === tool).map(({ node }) => rootOf(node)));
  const stopped = cancelsOf(facts).filter(({ source }) => source === cause);
  const caused = new Set(stopped.flatMap((cancel) => cancel.nodes.map(({ node }) => rootOf(node))));
  return [...nodes.values()]
    .filter(({ kind, parent }) => kind === 'turn' && parent === null)
    .filter(({ outcome }) => state === undefined || (outcome ?? 'open') === state)
    .filter(({ owner }) => speaker === undefined || owner === speaker)
    .filter(({ node }) => tool === undefined || calling.has(node))
    .filter(({ node }) => cause === undefined || caused.has(node))
    .filter(({ openedAt }) => since === undefined || openedAt >= since)
    .toReversed();
}
