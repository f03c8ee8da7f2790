// Where a local session comes from: a part of the public types, which import no machine.
import type { TokenProof } from '../core/session/api.ts';

/** Where a local session comes from. */
export interface LocalOrigin {
  /** The name of the door of your own that it is for: it becomes a part of the causes of its stops. */
  readonly door?: string | undefined;
  /** The token that the speaker has shown to that door: then the rules of access are those for speakers that a token has proven. Left out: the program vouches for the speaker. */
  readonly proof?: TokenProof | undefined;
}
