// Makes a detached sub-agent a turn of its own: it is in the journal and in the live tree from this tick on, so that no plan misses it.
import type { Call } from '../../../machines/contracts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Services } from './services.ts';

/** `from`: the node that detaches it, `depth` sub-agents deep. */
export function detachAgent(
  { runtime, tree, journal, inbox }: Pick<Services, 'runtime' | 'tree' | 'journal' | 'inbox'>,
  { id: from, depth }: { readonly id: NodeId; readonly depth: number },
  { agent, owner }: Call,
): void {
  if (!agent) return;
  const { turn: id, name, task } = agent;
  const { clock } = runtime.sources;
  const since = clock.now();
  const addedAt = clock.elapsed();
  const ancestors = tree.ancestorsFrom(from);
  const entry = tree.add(
    { id, kind: 'turn', owner, parent: null, ancestors, name, since, addedAt, enteredAt: journal.lastSeq },
    null,
  );
  tree.inheritDeferred(entry, from);
  void journal.append([
    { type: 'turn_opened', turn: id, kind: 'agent', owner, lane: id, text: task, ref: null, from, agent: name },
  ]);
  // the session reads the cut when it handles the message: a plan may have stopped the agent by then
  inbox.spawn({ id, owner, depth: depth + 1, text: task, agent: name });
}
