// The rows of a wave in the order of the tree.
import type { NodeId, NodeKind } from '../../../../machines/vocabulary.ts';
import type { UnplacedRow, WaveRow, WaveVerdict } from './wave-model.ts';

/** Returns the node above a node; null: it is a root, or nothing is known of it. */
export type ParentOf = (node: NodeId) => NodeId | null;

/** Puts rows below their parents, siblings in the order in which they are given. A node whose parent has no row hangs below the next one above that has. */
export function placeRows(rows: readonly UnplacedRow[], parentOf: ParentOf): readonly WaveRow[] {
  const listed = new Set(rows.map(({ node }) => node));
  const children = Map.groupBy(rows, ({ node }) => listedAbove(node, listed, parentOf));
  const placed: WaveRow[] = [];
  const place = (parent: NodeId | null, depth: number): void => {
    for (const row of children.get(parent) ?? []) {
      placed.push({ ...row, parent, depth });
      place(row.node, depth + 1);
    }
  };
  place(null, 0);
  return placed;
}

function listedAbove(node: NodeId, listed: ReadonlySet<NodeId>, parentOf: ParentOf): NodeId | null {
  const seen = new Set([node]);
  for (let above = parentOf(node); above !== null && !seen.has(above); above = parentOf(above)) {
    if (listed.has(above)) return above;
    seen.add(above);
  }
  return null;
}

/** Returns the name of a node for people: that of its tool or agent, or `turn`; the turn of a sub-agent has the name of the agent with it. */
export function rowName(node: NodeId, kind: NodeKind | null, name: string | null, hasParent: boolean): string {
  if (kind === 'input') return 'words';
  if (kind !== 'turn') return name ?? node;
  if (name === null || name === 'turn') return 'turn';
  return hasParent ? `${name}'s turn` : name;
}

/** Whether the CANCEL is to stop the node. */
export const isToStop = (verdict: WaveVerdict): boolean => verdict === 'stop' || verdict === 'pending';

/** Returns when the last of the nodes that are to stop had its outcome; null: one has none. */
export function settledTime(
  rows: readonly Pick<WaveRow, 'verdict' | 'settledAt'>[],
  acceptedAt: number,
): number | null {
  let last = acceptedAt;
  for (const { verdict, settledAt } of rows) {
    if (!isToStop(verdict)) continue;
    if (settledAt === null) return null;
    last = Math.max(last, settledAt);
  }
  return last;
}
