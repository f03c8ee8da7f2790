// Contract of a connection's actor, for the parts of the connection: they send events to it, above all CLOSE.
import type { Actor } from 'xstate';
import type { connectionMachine } from '../../machines/connection.ts';
import type { CloseName } from '../wire/close-codes.ts';

type MachineActor = Actor<typeof connectionMachine>;
type Sent = Parameters<MachineActor['send']>[0];

export interface ConnectionActor {
  /** `because` of a CLOSE is the name of a close code. */
  send(event: Exclude<Sent, { type: 'CLOSE' }> | { readonly type: 'CLOSE'; readonly because: CloseName }): void;
}

/** As its connection has it, and an inspector. */
export type RunningConnectionActor = ConnectionActor & Pick<MachineActor, 'id' | 'sessionId' | 'getSnapshot'>;
