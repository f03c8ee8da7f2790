// Contract of a connection's actor, for the parts of the connection: they send events to it, above all CLOSE.
import type { Actor } from 'xstate';
import type { connectionMachine } from '../../machines/connection.ts';
import type { CloseName } from '../wire/close-codes.ts';

type Sent = Parameters<Actor<typeof connectionMachine>['send']>[0];

/** What an inspector needs of the actor. */
export type IdentifiedActor = ConnectionActor & Pick<Actor<typeof connectionMachine>, 'id' | 'sessionId'>;

export interface ConnectionActor {
  /** `because` of a CLOSE is the name of a close code. */
  send(event: Exclude<Sent, { type: 'CLOSE' }> | { readonly type: 'CLOSE'; readonly because: CloseName }): void;
}
