// The parts of a connection that its joined sessions share.
import type { Speaker } from '../../machines/vocabulary.ts';
import type { Runtime, TokenProof } from '../core/session/api.ts';
import type { ErrorSink } from './error-replies.ts';
import type { Outbox } from './outbox.ts';

export interface JoinedSessionServices {
  readonly runtime: Runtime;
  readonly connection: string;
  readonly speaker: Speaker;
  /** The token that the speaker has shown. Left out: none was needed. */
  readonly proof?: TokenProof | undefined;
  /** The name of the door that it came by. Left out: the door has none. */
  readonly door?: string | undefined;
  readonly outbox: Outbox;
  readonly errors: ErrorSink;
  /** Receives exceptions that are bugs. */
  report(error: unknown): void;
}
