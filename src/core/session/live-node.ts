// Describes an entry of the live tree for clients, by plain values.
import type { LiveNode } from '../../../machines/live-view.ts';
import type { NodeEntry } from '../live/node-entry.ts';

/** Describes an entry by plain values. */
export function liveNodeOf(entry: NodeEntry): LiveNode {
  const { id: node, kind, owner, parent, name, since, isSettled, cut, acknowledges, waitsFor } = entry;
  const shown = isSettled ? 'settled' : cut ? 'stopping' : 'running';
  return {
    node,
    kind,
    owner,
    parent,
    name,
    state: shown,
    since,
    ...(acknowledges !== null && { acknowledges }),
    ...(waitsFor && { waitsFor }),
  };
}
