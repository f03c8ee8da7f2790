// The sender of a command, as a door knows it.
import type { Speaker, SpeakerId } from '../../../machines/vocabulary.ts';

/** The sender of a command: a speaker, and the connection that proved the identity. `say:<ref>` targets are valid on one connection. */
export interface Caller {
  readonly speaker: Speaker;
  readonly connection: string;
  /** The speaker of the connection, where it speaks for another one: a bridge. */
  readonly via?: SpeakerId | undefined;
  /** The proof of the connection. Left out: no token was needed, because there is one local speaker, or a program embeds the runtime. */
  readonly proof?: TokenProof | undefined;
  /** The name of the door that the connection came by, in the causes of its stops. Left out: the door has none. */
  readonly door?: string | undefined;
}

/** What a token has proven: who asks for access, also where the connection speaks for another one. */
export interface TokenProof {
  readonly speaker: Speaker;
  /** The names of sessions in the token, `*` for any characters; null: it names none. */
  readonly sessions: readonly string[] | null;
}
