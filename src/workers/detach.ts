// Makes a detached sub-agent a turn of its own: told, and in the live tree from this tick on, so that no plan misses it.
import type { Call } from '../../machines/contracts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Plane } from './services.ts';

export function detach(
  plane: Plane,
  { id: from, depth }: { readonly id: NodeId; readonly depth: number },
  call: Call,
): void {
  const { agent, owner } = call;
  if (!agent) return;
  const { turn: id, name, task } = agent;
  const since = plane.sources.clock.now();
  plane.tree.enter({ id, kind: 'turn', owner, parent: null, line: plane.tree.lineOf(from), name, since }, null);
  void plane.append([
    { type: 'turn_opened', turn: id, kind: 'agent', owner, lane: id, text: task, ref: null, from, agent: name },
  ]);
  // the session reads the cut when it hears of it: between now and then a plan may have stopped it
  plane.spawn({ id, owner, depth: depth + 1, text: task, agent: name });
}
