// The root turns that a CANCEL reaches, where it is not sent for the first time.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Ancestor } from '../live/node-entry.ts';

/** Root turns up to a sequence number, and some by their id. */
export interface Scope {
  readonly upTo: number;
  readonly turns: ReadonlySet<NodeId>;
}

/** Whether the scope has a root turn. */
export const isWithin = ({ upTo, turns }: Scope, { id, enteredAt }: Pick<Ancestor, 'id' | 'enteredAt'>): boolean =>
  enteredAt <= upTo || turns.has(id);
