// Supersession: a newer call of a tool replaces the earlier ones under the same key, if its speaker may stop them.
import { decisionFact } from '../../../machines/cancel.ts';
import { standing } from '../../../machines/standing.ts';
import type { NodeId, Outcome } from '../../../machines/vocabulary.ts';
import type { Tool } from '../contracts/tool.ts';
import { callsUnderKey } from '../live/superseding-calls.ts';
import { stoppedOutcome } from './call-outcomes.ts';
import { CallWait } from './call-wait.ts';
import type { Job } from './worker.ts';

/** Resolves with null when the earlier calls have settled; with the call's outcome if it may not go on. */
export async function supersedeEarlier(
  tool: Tool,
  input: unknown,
  { services, entry, signal }: Job<'runtime' | 'session' | 'tree' | 'presence' | 'inbox' | 'text' | 'journal'>,
): Promise<Outcome | null> {
  const { runtime, session, tree, presence, inbox, journal } = services;
  const own = tool.supersedes?.(input, { session: session.id, roots: runtime.roots });
  if (own === undefined) return null;
  const key = `${tool.name} ${own}`; // two authors may have chosen the same word
  const earlier = callsUnderKey(tree, key);
  const by = { id: entry.owner, roles: ['member'] as const };
  const { kind, policy, addressedFrom, standing: customRule } = session;
  const participants = presence.countParticipants(by.id, tree.entries());
  const evidence = { source: 'superseded' as const, kind, participants, addressedFrom };
  for (const id of earlier) {
    const entry = tree.get(id);
    if (!entry) continue;
    const node = { id, kind: entry.kind, owner: entry.owner, requester: tree.requesterOf(entry), addressee: null };
    const verdict = standing(node, by, evidence, policy, customRule);
    if (verdict.may) continue;
    const inputs = { evidence, policy, customRule, verdicts: [{ node, verdict }] };
    const decision = decisionFact({ by, target: id }, undefined, inputs);
    if (decision) void journal.append([decision]);
    const message = `${entry.name} is in use by ${entry.owner}.`;
    return { kind: 'denied', effect: 'not_started', code: 'denied', message };
  }
  entry.supersessionKey = key;
  for (const id of earlier) if (!tree.get(id)?.cut) inbox.supersede(id, entry.id, by);
  // relevance, not exclusion: it begins when the earlier ones have settled, abandoned ones too
  using wait = new CallWait({ services, entry });
  let awaited: NodeId | null = null;
  await tree.waitUntil(
    () => {
      const unsettled = earlier.map((id) => tree.get(id)).find((node) => node && !node.isSettled);
      if (unsettled && unsettled.id !== awaited)
        wait.waitFor({ node: unsettled.id, name: unsettled.name, owner: unsettled.owner });
      awaited = unsettled?.id ?? null;
      return awaited === null;
    },
    { signal },
  );
  return signal.aborted ? stoppedOutcome('not_started', { entry }) : null;
}
