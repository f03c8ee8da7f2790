// The contract of an authenticator: finds the speaker of a token. Implementations are beside this file.
import type { Speaker } from '../../../machines/vocabulary.ts';

export interface Proof {
  readonly speaker: Speaker;
  /** The names of the sessions that it may open and join, `*` for any characters. Left out or null: it names none, and may open any that does not exist. */
  readonly sessions?: readonly string[] | null;
  /** When the proof ends, in milliseconds since 1970; null: it does not. */
  readonly expiresAt: number | null;
}

export interface Authenticator {
  /** `local`: no token is needed, so the gateway may serve this machine only. */
  readonly kind: 'local' | 'tokens';
  /** The key that every upgrade has to show, where the kind is `local`. Left out: whoever reaches the port may connect. */
  readonly key?: string | undefined;
  /**
   * Finds a token without work: in a table, say. Its holder is let in before any limit is asked. Null: `verify` is asked, within the limits. Must not reveal by
   * its time how much of a token is right. Left out: every token is verified.
   */
  lookUp?(token: string): Proof | null;
  /** Resolves with what the token proves; null when it proves nothing. Never rejects. A gateway asks for few tokens at a time, and not for more wrong ones of an address than its rate. */
  verify(token: string | null): Promise<Proof | null>;
  /** Calls the listener with each proof that ends before its time, after `lookUp` and `verify` give it no more. Left out: none does. */
  onRevoked?(listener: (proof: Proof) => void): void;
}
