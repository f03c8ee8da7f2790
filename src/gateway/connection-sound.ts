// The sound of one connection that has asked for it in HELLO: checks what it sends, within limits of its own, and sends what its sessions speak. Loaded by the first such HELLO.
import type { Speaker } from '../../machines/vocabulary.ts';
import { type SoundRelay, type SpeechSound, soundFormat } from '../core/contracts/sound.ts';
import type { Runtime } from '../core/session/api.ts';
import { msSince } from '../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../core/sources/sources.ts';
import { TokenBucket } from '../core/sources/token-bucket.ts';
import { speakerNameProblem } from '../core/text/printable.ts';
import type { AskedSound } from '../wire/client-frames.ts';
import { problem } from '../wire/errors.ts';
import type { SoundTerms } from '../wire/server-frames.ts';
import { decodeSound, encodeSound } from '../wire/sound-codec.ts';
import { AudibleSession } from './audible-session.ts';
import type { ErrorSink } from './error-replies.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { JoinedSession } from './joined-session.ts';
import type { Outbox } from './outbox.ts';
import { PacedSound } from './paced-sound.ts';
import type { Peer } from './peer.ts';

/** The most that is sent before its time, in milliseconds. */
const aheadMs = 300;
/** Bytes in the socket from which on no more sound is written to it: half a second. */
const maxSocketBytes = 24_000;
/** How often a client is told that its sound is dropped, in milliseconds. */
const reportEveryMs = 5_000;

export interface ConnectionSoundParts {
  readonly relay: SoundRelay;
  readonly peer: Peer;
  readonly outbox: Pick<Outbox, 'waitForRoom'>;
  readonly errors: ErrorSink;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
}

/** Resolves with the sound of a connection, whose HELLO has asked for it. */
export async function openConnectionSound(
  asked: AskedSound,
  { runtime, ...parts }: Omit<ConnectionSoundParts, 'relay'> & { readonly runtime: Runtime },
): Promise<ConnectionSound> {
  return new ConnectionSound(asked, { ...parts, relay: await runtime.voice.sound() });
}

export class ConnectionSound {
  readonly #parts: ConnectionSoundParts;
  /** What `welcome` says of it. */
  readonly terms: SoundTerms;
  readonly #frames: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #sessions = new Map<string, AudibleSession>();
  #reportedAt: MonotonicTime | null = null;

  constructor({ send = false, receive = false }: AskedSound, parts: ConnectionSoundParts) {
    const { clock, limits } = parts;
    const frames = { perSecond: limits.soundFramesPerSecond, burst: limits.soundFrameBurst };
    const bytes = { perSecond: limits.soundBytesPerSecond, burst: limits.soundByteBurst };
    this.#parts = parts;
    this.terms = {
      send,
      receive,
      ...soundFormat,
      frameBytes: limits.soundFrameBytes,
      framesPerSecond: frames.perSecond,
      frameBurst: frames.burst,
      bytesPerSecond: bytes.perSecond,
      byteBurst: bytes.burst,
      queueBytes: limits.soundQueueBytes,
      aheadMs,
    };
    this.#frames = new TokenBucket(clock, frames);
    this.#bytes = new TokenBucket(clock, bytes);
  }

  /** Joins a session with sound. */
  joinSession(...[services, join, previous, owner]: ConstructorParameters<typeof JoinedSession>): JoinedSession {
    const { relay, clock, limits } = this.#parts;
    const paced = this.terms.receive
      ? new PacedSound({
          clock,
          aheadMs,
          queueBytes: limits.soundQueueBytes,
          hasRoom: () => this.#hasRoom(),
          send: (sound) => this.#send(join.session, sound),
        })
      : null;
    const session = new AudibleSession({ relay, paced }, services, join, previous, owner);
    this.#sessions.set(join.session, session);
    return session;
  }

  /** A session was left, or has ended. */
  forgetSession(session: string): void {
    this.#sessions.delete(session);
  }

  /** Handles a binary message of the client. */
  receive(message: Uint8Array, { id: own, roles }: Speaker): void {
    const { errors, limits } = this.#parts;
    const { soundFrameBytes: limit } = limits;
    if (message.length > limit) {
      const text = `The frame of sound has ${message.length} bytes; the limit is ${limit}.`;
      return errors.sendError(problem('frame_too_large', { message: text, limit }), {});
    }
    if (!this.#frames.spend() || !this.#bytes.spend(message.length)) return this.#reportDropped();
    const decoded = decodeSound(message, 'speaker');
    if (!decoded.ok) return errors.sendError(problem('bad_sound', { message: decoded.message }), {});
    const { session, name, position, pcm } = decoded.sound;
    const speaker = name === '' ? own : name;
    const misnamed = speakerNameProblem(speaker);
    if (misnamed !== null)
      return errors.sendError(problem('bad_sound', { message: `The speaker of the sound ${misnamed}.` }), {});
    const joined = this.#sessions.get(session);
    if (!joined?.isAudible) return errors.sendError(problem('not_joined'), {});
    if (speaker !== own && !roles.includes('bridge')) return errors.sendError(problem('as_not_allowed'), { session });
    joined.receive({ speaker, position, pcm: new Uint8Array(pcm) }); // a copy: the message lies in the buffer of its socket
  }

  /** Facts, replies and texts that wait go first. */
  #hasRoom(): boolean {
    const { peer, outbox } = this.#parts;
    return peer.bufferedBytes <= maxSocketBytes && outbox.waitForRoom() === null;
  }

  #send(session: string, { turn, index, position, pcm }: SpeechSound): void {
    const message = encodeSound({ kind: 'speech', session, name: turn, block: index, position, pcm });
    this.#parts.peer.send(message, () => {});
  }

  #reportDropped(): void {
    const { errors, clock, limits } = this.#parts;
    if (this.#reportedAt !== null && msSince(clock, this.#reportedAt) < reportEveryMs) return;
    this.#reportedAt = clock.elapsed();
    errors.sendError(problem('too_much_sound', { limit: limits.soundBytesPerSecond }), {});
  }
}
