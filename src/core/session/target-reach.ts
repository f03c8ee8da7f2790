// The nodes that a CANCEL with a prefix in its target reaches, and the parts that they are read from.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { FactSource } from '../transcript/history.ts';
import type { Appender } from '../transcript/journal.ts';

export interface TargetReachParts {
  readonly tree: LiveTree;
  readonly history: FactSource;
  readonly journal: Pick<Appender, 'lastSeq'>;
}

export interface TargetReach {
  /** The unsettled nodes, parents before children. */
  readonly live: readonly NodeEntry[];
  /** Detached agents that were started below the turns. */
  readonly detached: readonly NodeId[];
}

/** Returns the sequence number of the fact at a place of the history, whose last fact is the newest one. */
export const seqAt = (at: number, { history, journal }: Omit<TargetReachParts, 'tree'>): number =>
  journal.lastSeq - (history.facts().length - 1 - at);
