// The id of a child's actor: its number among the dispatched calls of its turn.
//
// XState keeps, at every state node and for ever, each type of event that was received, and the type of a `done` event contains the child's id.
// So the id is a small number, which every turn uses again, and never a node id, of which there is no end.
import type { NodeId } from './vocabulary.ts';

const prefix = 'call.';

/** Returns the actor id of a call. `dispatched`: every call of the turn, in the order of dispatch. */
export const childIdOf = (dispatched: readonly NodeId[], node: NodeId): string => prefix + dispatched.indexOf(node);

/** Returns the call that has this actor id; undefined: none of the turn has. */
export const nodeOfChild = (dispatched: readonly NodeId[], childId: string): NodeId | undefined =>
  dispatched[Number(childId.slice(prefix.length))];
