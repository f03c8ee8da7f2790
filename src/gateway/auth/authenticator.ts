// Who a token belongs to: the contract. Implementations stand beside this file.
import type { Speaker } from '../../../machines/vocabulary.ts';

export interface Proof {
  readonly speaker: Speaker;
  /** When the proof ends, in milliseconds since 1970; null: it does not. */
  readonly expiresAt: number | null;
}

export interface Authenticator {
  /** `local`: nobody is asked for a token, so only this machine may be listened to. */
  readonly kind: 'local' | 'tokens';
  /** Null when the token proves nothing. Never rejects. */
  verify(token: string | null): Promise<Proof | null>;
}
