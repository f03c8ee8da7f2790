// The nodes that a CANCEL of a lane reaches: a turn, the later turns of its owner in the lane, their speech, and everything below them, except detached agents.
import type { NodeEntry } from '../live/node-entry.ts';
import { seqAt, type TargetReach, type TargetReachParts } from './target-reach.ts';

/**
 * Reads what a CANCEL of a lane reaches, of which `named` is the turn; nothing for a node that is no turn of the session. Words that wait behind a turn are reached also where that turn has
 * ended: it was running when the stop was wanted. `isParallel`: no turn waits behind another one.
 */
export function readLaneReach(
  named: string,
  isParallel: boolean,
  { tree, history, journal }: TargetReachParts,
): TargetReach {
  const facts = history.facts();
  const at = facts.findLastIndex((fact) => fact.type === 'turn_opened' && fact.turn === named);
  const opened = facts[at];
  if (opened?.type !== 'turn_opened') return { live: [], detached: [] };
  const turn = tree.get(named);
  const since = turn?.enteredAt ?? seqAt(at, { history, journal });
  const isBehind = ({ isSaid, owner, enteredAt }: NodeEntry) =>
    !isParallel && opened.kind === 'say' && isSaid && owner === opened.owner && enteredAt > since;
  const turns = new Set(tree.entries().filter((entry) => entry === turn || isBehind(entry)));
  const ids = new Set([named, ...Array.from(turns, ({ id }) => id)]);
  const comesFromThem = (entry: NodeEntry) => entry.isOpen && entry.ancestors.some(({ id }) => ids.has(id));
  const isSpeech = (entry: NodeEntry) => entry.kind === 'speech' && comesFromThem(entry);
  const isReached = (entry: NodeEntry) =>
    (entry.isOpen && tree.pathToRoot(entry).some((above) => turns.has(above))) || isSpeech(entry);
  return {
    live: tree.entries().filter(isReached),
    detached: tree
      .entries()
      .filter((entry) => comesFromThem(entry) && !isSpeech(entry))
      .map(({ id }) => id),
  };
}
