// Supersession: a newer call of a tool with the same key takes the place of the earlier ones, where its speaker may stop them.
import { standing } from '../../machines/standing.ts';
import type { NodeId, Outcome } from '../../machines/vocabulary.ts';
import type { Tool } from '../tools/tool.ts';
import { stoppedAs } from './call-outcomes.ts';
import type { Job } from './worker.ts';

/** Resolves with null when the earlier calls have settled; with the call's end where it may not go on. */
export async function supersede(tool: Tool, input: unknown, id: NodeId, job: Job): Promise<Outcome | null> {
  const { plane, entry, signal } = job;
  const { tree, rivals } = plane;
  const own = tool.supersedes?.(input, { session: plane.session, roots: plane.roots });
  if (own === undefined) return null;
  const key = `${tool.name} ${own}`; // two authors may have thought of the same word
  const isOver = (rival: NodeId) => (tree.get(rival)?.state ?? 'settled') === 'settled';
  const earlier = rivals.of(key);
  const by = { id: entry.owner, roles: ['member'] as const };
  const evidence = { source: 'superseded' as const, participants: plane.participants(by.id) };
  for (const rival of earlier) {
    const node = tree.get(rival);
    if (!node || standing({ ...node, asks: null }, by, evidence, plane.policy, plane.standing).may) continue;
    const message = `${node.name} is in use by ${node.owner}.`;
    return { kind: 'denied', effect: 'not_started', code: 'denied', message };
  }
  rivals.enter(key, id);
  for (const rival of earlier) if (!tree.get(rival)?.cut) plane.supersede(rival, id, by);
  // relevance, not exclusion: it begins when the earlier ones have settled, abandoned ones too
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!signal.aborted && !earlier.every(isOver)) return;
      unwatch();
      signal.removeEventListener('abort', look);
      resolve();
    };
    const unwatch = tree.watch(look);
    signal.addEventListener('abort', look);
    look();
  });
  return signal.aborted ? stoppedAs('not_started', job) : null;
}
