// Finds nodes, calls, turns and words in a snapshot; returns the names of nodes for people, their depth and their times.
import type { CallView, NodeView, ReceiptView, SessionSnapshot, TurnView } from './snapshot.ts';

type Turns = Pick<SessionSnapshot, 'turns'>;

/** Returns a node; null if the snapshot does not hold it. */
export function findNode({ turns }: Turns, id: string): NodeView | null {
  for (let i = turns.length - 1; i >= 0; i--) {
    const turn = turns[i];
    if (turn?.node.id === id) return turn.node;
    if (turn?.speech?.id === id) return turn.speech;
    const call = turn?.calls.find(({ node }) => node.id === id);
    if (call) return call.node;
  }
  return null;
}

/** Returns a call; null: the node is no call, or the snapshot does not hold it. */
export function findCall({ turns }: Turns, id: string): CallView | null {
  for (const { calls } of turns) {
    const call = calls.find(({ node }) => node.id === id);
    if (call) return call;
  }
  return null;
}

/** Returns a turn; null: the node is no turn, or the snapshot does not hold it. */
export const findTurn = ({ turns }: Turns, id: string): TurnView | null =>
  turns.findLast(({ node }) => node.id === id) ?? null;

/** Returns the words of a person by the id of the turn or the deferred input that they became; null or empty: they are not known. */
export function findWords({ turns }: Turns, id: string): string | null {
  const inputs = turns.flatMap((turn) => turn.inputs);
  return inputs.find((input) => input.id === id)?.text ?? turns.find(({ node }) => node.id === id)?.text ?? null;
}

/** Returns the name of a node: that of its tool or agent, `speech`, or `turn`. An agent's turn has the agent's name; a node that the snapshot does not hold has its id. */
export function nameOf(snapshot: Turns, id: string): string {
  const node = findNode(snapshot, id);
  if (!node) return id;
  if (node.kind === 'speech') return 'speech';
  if (node.kind !== 'turn') return node.name ?? id;
  if (node.name === null) return 'turn';
  return node.parent === null ? node.name : `${node.name}'s turn`; // the sub-agent above has the bare name
}

/** Returns the owner of a node; null if the snapshot does not hold it. */
export function ownerOf(snapshot: Turns, id: string): string | null {
  return findNode(snapshot, id)?.owner ?? null;
}

/** Returns the owner of a node as the viewer reads it: `you` if it is the viewer; null: the owner is not known. */
export function ownerText({ turns }: Turns, id: string, viewer: string | null): string | null {
  const input = turns.flatMap(({ inputs }) => inputs).find((each) => each.id === id);
  const owner = findNode({ turns }, id)?.owner ?? input?.owner ?? null;
  return owner !== null && owner === viewer ? 'you' : owner;
}

/** Returns the refusals without those of nodes whose parent was refused for the same reason. */
export const topmostRefusals = (snapshot: Turns, refused: ReceiptView['refused']): ReceiptView['refused'] =>
  refused.filter(({ node, reason }) => {
    const parent = findNode(snapshot, node)?.parent ?? null;
    return !refused.some((other) => other.node === parent && other.reason === reason);
  });

/** Returns the depth of a node: 0 for a root turn, 1 for its calls, 2 for the calls of a sub-agent. The turn of a sub-agent is as deep as its call. */
export function depthOf(snapshot: Turns, id: string): number {
  const node = findNode(snapshot, id);
  if (!node || node.parent === null) return 0;
  return (node.kind === 'turn' ? 0 : 1) + depthOf(snapshot, node.parent);
}

/** Whether the node is a turn that no call has opened; false if the snapshot does not hold it. */
export function isRootTurn(snapshot: Turns, id: string): boolean {
  const node = findNode(snapshot, id);
  return node?.kind === 'turn' && node.parent === null;
}

/** Whether the node is the turn of an acknowledgement; false if the snapshot does not hold it. */
export function isAcknowledgementTurn({ turns }: Turns, id: string): boolean {
  return turns.some(({ node, kind }) => node.id === id && kind === 'acknowledgement');
}

/** Returns how long a node ran until its end, in milliseconds; null: it has not ended, or that is not known. */
export function ranMs({ turns }: Turns, id: string): number | null {
  const result = findCall({ turns }, id)?.result ?? null;
  const turn = turns.find(({ node }) => node.id === id || node.parent === id); // a sub-agent runs as long as its turn
  return result?.ms ?? turn?.ms ?? null;
}

/** Returns how long a node had run at a time of the gateway, or until its end if it has ended, in milliseconds; null: that is not known. */
export function runningMs(snapshot: Turns, id: string, at: number | undefined): number | null {
  const startedAt = findNode(snapshot, id)?.startedAt ?? null;
  return ranMs(snapshot, id) ?? msBetweenTimes(startedAt, at ?? null);
}

/** Returns the milliseconds between two times of the gateway, at least 0: its time of day may have been set backward. Null: one of them is not known. */
export const msBetweenTimes = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : Math.max(0, to - from);
