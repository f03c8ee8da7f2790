// The nodes that a CANCEL of tools reaches: the calls and attached sub-agents directly below its turns, with everything below them. The turns go on.
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { Scope } from './cancel-scope.ts';
import { seqAt, type TargetReach, type TargetReachParts } from './target-reach.ts';

export interface ToolsReach extends TargetReach {
  /** Whether the scope has the call below a target turn that the node is, or that contains the node. */
  isWithin(scope: Pick<Scope, 'upTo'>, entry: NodeEntry): boolean;
}

/**
 * Reads what a CANCEL of tools reaches. `named`: the id of a turn, or `mine`. `isFirst`: it was not sent before. Then it also reaches the whole calls of a response that is
 * being written, and those of a round that is not opened yet: they are added to the live tree.
 */
export function readToolsReach(
  named: string,
  by: SpeakerId | null,
  isFirst: boolean,
  { tree, history, journal }: TargetReachParts,
): ToolsReach {
  const isMine = named === 'mine';
  const isDetached = (entry: NodeEntry) => (tree.pathToRoot(entry).at(-1)?.ancestors.length ?? 0) > 0;
  const isTarget = (entry: NodeEntry) =>
    entry.kind === 'turn' && (isMine ? entry.owner === by && !isDetached(entry) : entry.id === named);
  const turns = new Set(tree.entries().filter(isTarget));
  if (isFirst) for (const turn of turns) if (turn.runsOn) turn.unopened?.enterTree();
  /** Returns the call directly below a target turn that the entry is, or that contains the entry. */
  const callOver = (entry: NodeEntry): NodeEntry | undefined => {
    const path = tree.pathToRoot(entry);
    return path[path.findLastIndex((at) => turns.has(at)) - 1];
  };
  const isReached = (entry: NodeEntry) => {
    const call = callOver(entry);
    return entry.isOpen && call !== undefined && call.kind !== 'input';
  };
  const live = tree.entries().filter(isReached);
  const comesFromTarget = ({ kind, ancestors }: NodeEntry) =>
    kind !== 'speech' && ancestors.some(({ id, owner }) => (isMine ? owner === by : id === named));
  const detached = tree.entries().filter((entry) => entry.isOpen && !turns.has(entry) && comesFromTarget(entry));
  return {
    live,
    detached: detached.map(({ id }) => id),
    isWithin: ({ upTo }, entry) => openedAt(callOver(entry) ?? entry, { history, journal }) <= upTo,
  };
}

/** Returns the sequence number of the `tool_call` of a call, which enters the tree after the commit of that fact; without the fact, that of its entry. */
function openedAt({ id, enteredAt }: NodeEntry, parts: Omit<TargetReachParts, 'tree'>): number {
  const at = parts.history.facts().findLastIndex((fact) => fact.type === 'tool_call' && fact.node === id);
  return at === -1 ? enteredAt : seqAt(at, parts);
}
