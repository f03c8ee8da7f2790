// Performs DELEGATE: a speaker names another one who may stop the first one's work.
import type { StopDelegated } from '../../../machines/facts.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Appender } from '../transcript/journal.ts';
import type { Caller } from './api.ts';
import { type Delegations, maxDelegations } from './delegations.ts';
import type { DelegateReply, DelegateRequest } from './member-api.ts';

export interface DelegateParts {
  readonly tree: LiveTree;
  readonly journal: Appender;
  readonly delegations: Delegations;
}

/** Records a delegation; it counts from this tick on. Resolves after its commit. One that adds nothing is not written again. */
export async function delegateStop(
  { speaker: { id: by }, via }: Caller,
  { speaker: to, target = 'mine', until, ref }: DelegateRequest,
  { tree, journal, delegations }: DelegateParts,
): Promise<DelegateReply> {
  const node = tree.get(target);
  if (target !== 'mine' && (node?.owner !== by || node.isSettled)) return { type: 'not_yours', target };
  const delegated: StopDelegated = {
    type: 'stop_delegated',
    by,
    to,
    target,
    until: until ?? null,
    ref: ref ?? null,
    ...dropUndefined({ via }),
  };
  const repeated = delegations.isKnown(delegated);
  if (!repeated && delegations.size >= maxDelegations) return { type: 'too_many_delegations', limit: maxDelegations };
  await journal.append(repeated ? [] : [delegated]);
  return { type: 'stop_delegated', delegated, repeated };
}
