// The options of a session that a client joins.
import type { ClientFrame } from '../wire/client-frames.ts';
import type { WireFeature } from '../wire/frame-limits.ts';
import type { ClientSources } from './client-sources.ts';
import type { CreateRef } from './command-ref.ts';
import type { ReplayStart } from './replay-start.ts';

export interface JoinedSessionOptions {
  readonly id: string;
  /** What is replayed. */
  readonly from: ReplayStart;
  /** The secret of an invite link, until the session is joined. */
  readonly invite?: string | undefined;
  readonly createRef: CreateRef;
  readonly send: (frame: ClientFrame) => void;
  /** Returns the speaker of the connection; null: not known yet. Left out: facts of all speakers may be replies. */
  readonly speaker?: () => string | null;
  /** Returns the features of the gateway. Called only while there is a connection. Left out: it has all. */
  readonly features?: (() => readonly WireFeature[]) | undefined;
  /** Whether there is a connection, which then is the only one (the default); false: `connect` will be called. */
  readonly isConnected?: boolean | undefined;
  readonly whileDisconnected?: 'reject' | 'wait' | undefined;
  /** A JOIN has failed in a way that may pass: calls `rejoin` after a pause. Left out: the session ends then. */
  readonly rejoinLater?: ((failures: number, rejoin: () => void) => void) | undefined;
  /** For the wait for a receipt. Default: that of the platform. */
  readonly clock?: Pick<ClientSources['clock'], 'after'> | undefined;
  /** Called when the session was left or has ended. */
  readonly onEnd: () => void;
}
