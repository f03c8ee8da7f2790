// Finds the turns that the words of a SAY take the place of.
import type { SaidEvent } from '../../../machines/session-events.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import type { Inbox } from './inbox.ts';

interface SupersedeParts {
  readonly tree: LiveTree;
  readonly inbox: Inbox;
  readonly acknowledgements: Pick<Acknowledgements, 'inWayOf'>;
}

/** Posts a CANCEL for each turn that the words of a SAY take the place of. It has no effect if the SAY is refused. */
export function supersedeEarlierTurns(
  { type, lane, turn: { id, owner } }: SaidEvent,
  { tree, inbox, acknowledgements }: SupersedeParts,
  interrupts: boolean,
): void {
  // an acknowledgement yields to new words whoever says them: it is stopped in the name of its own owner
  for (const { turn, owner: its } of acknowledgements.inWayOf(lane, owner))
    inbox.supersede(turn, id, { id: its, roles: ['member'] });
  if (!interrupts || type !== 'SAY') return;
  const earlier = tree
    .entries()
    .filter((entry) => entry.isSaid && entry.owner === owner && entry.runsOn && !tree.turnShieldOver(entry));
  for (const entry of earlier) inbox.supersede(entry.id, id, { id: owner, roles: ['member'] });
}
