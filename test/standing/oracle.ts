// Trees of work with several owners, and an oracle of what a CANCEL stops there. It is written from docs/ownership.md, and uses nothing of the code.
import type { Policy, Role, SpeakerId } from '../../machines/vocabulary.ts';
import type { Dice } from '../support/dice.ts';

export const people = ['ann', 'bob', 'carl'] as const;

/** A piece of work: a turn of a speaker, a call, or an agent with work of its own below it. */
export interface Work {
  readonly name: string;
  readonly kind: 'turn' | 'call' | 'agent';
  /** For whom the work was made; null: for the same as what is above it. */
  readonly of: SpeakerId | null;
  readonly isDetached: boolean;
  readonly below: readonly Work[];
}

/** A live node of the tree, as its work describes it. */
export interface WorkNode {
  /** The work that it belongs to. */
  readonly name: string;
  /** `input`: words that were said to a turn while it ran. An attached agent has two nodes: the agent where its call would be, and the turn below it. */
  readonly role: 'turn' | 'call' | 'agent' | 'agent-turn' | 'input';
  readonly owner: SpeakerId;
  /** The nodes above it, the nearest first. A detached agent has none. */
  readonly above: readonly WorkNode[];
  /** The speaker whose words have led to detached work. */
  readonly requester: SpeakerId | null;
}

export interface CancelAttempt {
  readonly by: SpeakerId;
  readonly roles: readonly Role[];
  readonly policy: Policy;
  /** `session`, `mine`, or a node. */
  readonly target: 'session' | 'mine' | WorkNode;
}

/** Plans the work of a turn. */
export function planWork(dice: Dice, owner: SpeakerId, names: () => string): Work {
  const work = (depth: number): Work => {
    const isAgent = depth < 3 && dice.maybe(0.45);
    const of = dice.maybe(0.4) ? dice.pick(people) : null;
    const name = names();
    if (!isAgent) return { name, kind: 'call', of, isDetached: false, below: [] };
    const isDetached = dice.maybe(0.35);
    return { name, kind: 'agent', of, isDetached, below: workBelow(depth + 1) };
  };
  // what has a call of its own runs on until that has ended
  const workBelow = (depth: number): readonly Work[] => [
    { name: names(), kind: 'call', of: dice.maybe(0.4) ? dice.pick(people) : null, isDetached: false, below: [] },
    ...Array.from({ length: dice.int(3) }, () => work(depth)),
  ];
  const name = names();
  const below = workBelow(0);
  return { name, kind: 'turn', of: owner, isDetached: false, below };
}

/** The live nodes of a piece of work and of what is below it, once all of it runs. */
export function liveNodesOf(
  work: Work,
  parent: WorkNode | null = null,
  root: SpeakerId = work.of ?? '',
): readonly WorkNode[] {
  const owner = work.of ?? parent?.owner ?? root;
  const { name } = work;
  if (work.isDetached) {
    // a turn of its own: nothing is above it, and its call has had its result at once
    const turn: WorkNode = { name, role: 'agent-turn', owner, above: [], requester: root };
    return [turn, ...work.below.flatMap((child) => liveNodesOf(child, turn, root))];
  }
  const above = parent ? [parent, ...parent.above] : [];
  const top = [parent, ...(parent?.above ?? [])].at(-1);
  // detached work is that of its requester as far as it was made for the speaker of the detached turn
  const requester = top?.role === 'agent-turn' && top.owner === owner ? top.requester : null;
  const node: WorkNode = { name, role: work.kind, owner, above, requester };
  if (work.kind === 'call') return [node];
  if (work.kind === 'turn') return [node, ...work.below.flatMap((child) => liveNodesOf(child, node, root))];
  const turn: WorkNode = { name, role: 'agent-turn', owner, above: [node, ...above], requester };
  return [node, turn, ...work.below.flatMap((child) => liveNodesOf(child, turn, root))];
}

/** Words that a speaker says to a turn that runs; null: the speaker may not. Who may stop a turn may say something to it. */
export function inputOf(name: string, turn: WorkNode, by: SpeakerId, policy: Policy): WorkNode | null {
  if (!mayStop(turn, { by, roles: ['member'], policy, target: turn })) return null;
  return { name, role: 'input', owner: by, above: [turn], requester: turn.owner === by ? turn.requester : null };
}

/** Whether the target names the node. */
const isInTarget = (node: WorkNode, { target, by }: CancelAttempt): boolean => {
  if (target === 'session') return true;
  const path = [node, ...node.above];
  if (target === 'mine') return path.some(({ owner }) => owner === by);
  return path.includes(target);
};

/** Whether the speaker may stop the node, when others are there too. */
function mayStop(node: WorkNode, { by, roles, policy }: CancelAttempt): boolean {
  if (roles.includes('moderator') || roles.includes('emergency')) return true;
  if (policy === 'anyone') return true; // the session is one of text
  return node.owner === by || node.requester === by;
}

/** Returns the nodes that a CANCEL must stop, and those that it must refuse. */
export function expectedOf(nodes: readonly WorkNode[], attempt: CancelAttempt) {
  const inTarget = nodes.filter((node) => isInTarget(node, attempt));
  return {
    stopped: inTarget.filter((node) => mayStop(node, attempt)),
    refused: inTarget.filter((node) => !mayStop(node, attempt)),
  };
}
