// Stops the work of a session that is demolished: cuts every node at once, waits for its calls, and kills those that are left.
import type { Cause } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';

interface DemolitionLimits {
  readonly termGraceMs: number;
  readonly toolCancelMs: number;
}

/** Cuts every node, in this tick. A node that was cut before keeps its cause. `reason`: why the session is demolished. */
export function cutAll(tree: LiveTree, reason: string): void {
  const cause: Cause = { source: 'crash', by: null, reason, target: 'session' };
  tree.cut(new Map(tree.entries().map((entry) => [entry.id, entry.cut ?? cause])));
}

/**
 * Waits until no tool call is at work: for `termGraceMs`, then kills those that are left and waits for `toolCancelMs`. Resolves with the calls
 * that are still at work.
 */
export async function endCalls(tree: LiveTree, clock: Clock, limits: DemolitionLimits): Promise<readonly NodeEntry[]> {
  await waitForCalls(tree, clock, limits.termGraceMs);
  for (const { id } of callsAtWork(tree)) tree.kill(id);
  await waitForCalls(tree, clock, limits.toolCancelMs);
  return callsAtWork(tree);
}

/** Returns the tool calls whose workers still run. */
export const callsAtWork = (tree: LiveTree): readonly NodeEntry[] =>
  tree.entries().filter(({ workers, kind }) => workers > 0 && kind === 'tool-call');

const waitForCalls = (tree: LiveTree, clock: Clock, ms: number): Promise<void> =>
  tree.waitUntil(() => callsAtWork(tree).length === 0, { budget: { clock, ms } });
