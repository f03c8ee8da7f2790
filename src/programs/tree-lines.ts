// The live tree of a session as lines of a terminal.
import type { NodeView } from '../client/view/snapshot.ts';
import { durationText } from '../core/words/durations.ts';
import { awaitedText } from './line-text.ts';

/**
 * A line for each node; a sub-agent and its turn are one. `nodes`: parents before children. `ageMs`: how long a node has run; null: it has not started,
 * or that is not known.
 */
export function treeLines(
  nodes: readonly NodeView[],
  speaker: string,
  ageMs: (node: string) => number | null,
): readonly string[] {
  const depths = new Map<string, number>();
  return nodes.flatMap((node) => {
    const { id, kind, owner, parent, waitsFor } = node;
    const above = parent === null ? -1 : (depths.get(parent) ?? -1);
    const isOfSubAgent = kind === 'turn' && parent !== null && depths.has(parent);
    depths.set(id, isOfSubAgent ? above : above + 1);
    if (isOfSubAgent) return [];
    const name = node.name ?? (owner === speaker ? 'your turn' : `${owner}'s turn`);
    const ownership = kind === 'turn' || owner === speaker ? '' : `, ${owner}'s`;
    const state = waitsFor ? `waiting for ${awaitedText(waitsFor, speaker)}` : node.state;
    const age = ageMs(id);
    return [
      `${'  '.repeat(above + 2)}${name} (${id})${ownership}: ${state}${age === null ? '' : `, ${durationText(age)}`}`,
    ];
  });
}
