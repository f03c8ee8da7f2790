// The caller of a command: the speaker of its connection, or the one that a bridge speaks for.
import type { Speaker } from '../../machines/vocabulary.ts';
import type { Caller, TokenProof } from '../core/session/api.ts';
import type { CommandFrame } from '../wire/client-frames.ts';

/** Returns the first field of a frame that only a bridge may use, `type` for a frame that only a bridge may send; null: there is none. */
export function bridgeFieldOf(frame: CommandFrame): string | null {
  if (frame.type === 'PLAYED') return 'type';
  const used = new Map<string, unknown>(Object.entries(frame));
  return (
    ['as', ...(frame.type === 'SAY' || frame.type === 'STEER' ? ['addressed', 'replyToBot'] : [])].find(
      (name) => used.get(name) !== undefined,
    ) ?? null
  );
}

/** A connection with its speaker; `proof` undefined: no token was needed. */
interface Sender {
  readonly connection: string;
  readonly speaker: Speaker;
  readonly proof?: TokenProof | undefined;
}

/** Returns the caller of a command: the connection's speaker, or the one that a bridge speaks for (`as`, which has been checked). */
export function callerOfCommand({ connection, speaker, proof }: Sender, as: string | undefined): Caller {
  return as === undefined
    ? { connection, speaker, proof }
    : { connection, speaker: { id: as, roles: ['member'] }, via: speaker.id, proof };
}
