// Where a call stands below its turn: the id of its actor.
//
// XState keeps, at every state node and for ever, each type of event that has come by, and a child's id is part of the type that tells its
// end. So the id is a place, of which turns have few, and never a node id, of which there is no end.
import type { NodeId } from './vocabulary.ts';

const prefix = 'call.';

/** `dispatched`: every call of the turn, in the order of dispatch. */
export const placeOf = (dispatched: readonly NodeId[], node: NodeId): string => prefix + dispatched.indexOf(node);

export const nodeAt = (dispatched: readonly NodeId[], place: string): NodeId | undefined =>
  dispatched[Number(place.slice(prefix.length))];
