// Finds nodes, calls, turns and words in a snapshot; names of nodes for people, and their depth in the tree.
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

/** Returns a call; null for a node that is none, or that the snapshot does not hold. */
export function findCall({ turns }: Turns, id: string): CallView | null {
  for (const { calls } of turns) {
    const call = calls.find(({ node }) => node.id === id);
    if (call) return call;
  }
  return null;
}

/** Returns a turn; null for a node that is none, or that the snapshot does not hold. */
export const findTurn = ({ turns }: Turns, id: string): TurnView | null =>
  turns.findLast(({ node }) => node.id === id) ?? null;

/** The words that a person has said, by the id of their turn or of a deferred input; null or empty: they are not known. */
export function findWords({ turns }: Turns, id: string): string | null {
  const inputs = turns.flatMap((turn) => turn.inputs);
  return inputs.find((input) => input.id === id)?.text ?? turns.find(({ node }) => node.id === id)?.text ?? null;
}

/** The name of the tool or agent; `speech` for speech; `turn` for a turn, an agent's with its name; the id itself for a node that the snapshot does not hold. */
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

/** The owner of a node as the viewer reads it: `you` for the own; null: not known. */
export function ownerText({ turns }: Turns, id: string, viewer: string | null): string | null {
  const input = turns.flatMap(({ inputs }) => inputs).find((each) => each.id === id);
  const owner = findNode({ turns }, id)?.owner ?? input?.owner ?? null;
  return owner !== null && owner === viewer ? 'you' : owner;
}

/** Leaves out what is below another node that was refused for the same reason. */
export const topmostRefusals = (snapshot: Turns, refused: ReceiptView['refused']): ReceiptView['refused'] =>
  refused.filter(({ node, reason }) => {
    const parent = findNode(snapshot, node)?.parent ?? null;
    return !refused.some((other) => other.node === parent && other.reason === reason);
  });

/** How many calls the node is in, itself counted: 0 for a root turn, 1 for its calls, 2 for those of a sub-agent. */
export function depthOf(snapshot: Turns, id: string): number {
  const node = findNode(snapshot, id);
  if (!node || node.parent === null) return 0;
  return (node.kind === 'turn' ? 0 : 1) + depthOf(snapshot, node.parent);
}

/** Whether the node is known as a turn that no call has opened. */
export function isRootTurn(snapshot: Turns, id: string): boolean {
  const node = findNode(snapshot, id);
  return node?.kind === 'turn' && node.parent === null;
}

/** Whether the node is known as the model's words on a stop. */
export function isAcknowledgementTurn({ turns }: Turns, id: string): boolean {
  return turns.some(({ node, kind }) => node.id === id && kind === 'acknowledgement');
}

/** How long a node has run in the end, in milliseconds; null: it has not ended, or that is not known. */
export function ranMs({ turns }: Turns, id: string): number | null {
  const result = findCall({ turns }, id)?.result ?? null;
  const turn = turns.find(({ node }) => node.id === id || node.parent === id); // a sub-agent runs as long as its turn
  return result?.ms ?? turn?.ms ?? null;
}

/** How long the node had run at that time, or in the end if it has ended, in milliseconds; null if that is not known. */
export function runningMs(snapshot: Turns, id: string, at: number | undefined): number | null {
  const startedAt = findNode(snapshot, id)?.startedAt ?? null;
  return ranMs(snapshot, id) ?? msBetweenTimes(startedAt, at ?? null);
}

/** The milliseconds between two times of the gateway, none below zero: its time of day may have been set backward. Null if one of them is not known. */
export const msBetweenTimes = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : Math.max(0, to - from);
