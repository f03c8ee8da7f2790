// Decides whether a turn looks the same in two snapshots, so that a long conversation costs no more than the turn that changes.
import type { SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';

interface ShownTurn {
  readonly turn: TurnView;
  readonly snapshot: SessionSnapshot;
}

/** Whether nothing that a turn shows has changed: itself, the turns of its sub-agents, receipts and questions. */
export function isUnchanged(before: ShownTurn, after: ShownTurn): boolean {
  if (before.turn !== after.turn) return false;
  const [old, now] = [before.snapshot, after.snapshot];
  if (old === now) return true;
  if (old.state !== now.state) return false;
  if (old.receipts !== now.receipts || old.questions !== now.questions) return false;
  return old.turns === now.turns || isSameTree(after.turn, old, now);
}

/** Whether the turns below the calls of a turn are the same values in both. */
function isSameTree({ calls }: TurnView, old: SessionSnapshot, now: SessionSnapshot): boolean {
  return calls.every(({ node }) => {
    if (node.kind !== 'sub-agent') return true;
    const inner = innerTurn(now, node.id);
    if (inner !== innerTurn(old, node.id)) return false;
    return !inner || isSameTree(inner, old, now);
  });
}

const innerTurn = ({ turns }: SessionSnapshot, call: string): TurnView | undefined =>
  turns.find(({ node }) => node.parent === call);
