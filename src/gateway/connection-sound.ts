// The sound of one connection that has asked for it in HELLO: checks what it sends, within limits of its own, and sends what its sessions speak. Loaded by the first such HELLO.
import type { Speaker } from '../../machines/vocabulary.ts';
import { BoundedMap } from '../core/collections/bounded-map.ts';
import { type SoundRelay, type SpeechSound, soundFormat } from '../core/contracts/sound.ts';
import type { Runtime } from '../core/session/api.ts';
import { msSince } from '../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../core/sources/sources.ts';
import { TokenBucket } from '../core/sources/token-bucket.ts';
import { speakerNameProblem } from '../core/text/printable.ts';
import type { AskedSound } from '../wire/client-frames.ts';
import { type FrameProblem, problem } from '../wire/errors.ts';
import type { SoundTerms } from '../wire/server-frames.ts';
import { decodeSound, encodeSound } from '../wire/sound-codec.ts';
import { AudibleSession } from './audible-session.ts';
import type { ErrorSink, ErrorSubject } from './error-replies.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { JoinedSession } from './joined-session.ts';
import type { Outbox } from './outbox.ts';
import { PacedSound } from './paced-sound.ts';
import type { Peer } from './peer.ts';

/** The most that is sent before its time, in milliseconds. */
const aheadMs = 300;
/** The limit of bytes in the socket: above it no sound is written. Half a second. */
const maxSocketBytes = 24_000;
/** The least time between two reports of one error, in milliseconds. */
const reportEveryMs = 5_000;
/** Errors whose last report is remembered. */
const maxReports = 100;

/** Reports an error of one code, about one session, once in a while: a microphone repeats it fifty times a second, and each report is counted against its connection. */
class SoundErrors implements ErrorSink {
  readonly #parts: Pick<ConnectionSoundParts, 'errors' | 'clock'>;
  readonly #reportedAt = new BoundedMap<string, MonotonicTime>(maxReports);

  constructor(parts: Pick<ConnectionSoundParts, 'errors' | 'clock'>) {
    this.#parts = parts;
  }

  sendError(found: FrameProblem, about: ErrorSubject): void {
    const { errors, clock } = this.#parts;
    const key = `${found.code} ${about.session ?? ''}`;
    const reportedAt = this.#reportedAt.get(key);
    if (reportedAt !== undefined && msSince(clock, reportedAt) < reportEveryMs) return;
    this.#reportedAt.set(key, clock.elapsed());
    errors.sendError(found, about);
  }
}

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
  readonly #errors: SoundErrors;

  constructor({ send = false, receive = false }: AskedSound, parts: ConnectionSoundParts) {
    const { clock, limits } = parts;
    const frames = { perSecond: limits.soundFramesPerSecond, burst: limits.soundFrameBurst };
    const bytes = { perSecond: limits.soundBytesPerSecond, burst: limits.soundByteBurst };
    this.#parts = parts;
    this.#errors = new SoundErrors(parts);
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
    const session = new AudibleSession({ relay, paced, errors: this.#errors }, services, join, previous, owner);
    this.#sessions.set(join.session, session);
    return session;
  }

  /** A session was left, or has ended. */
  forgetSession(session: string): void {
    this.#sessions.delete(session);
  }

  /** Handles a binary message of the client. */
  receive(message: Uint8Array, { id: own, roles }: Speaker): void {
    const errors = this.#errors;
    const { soundFrameBytes: limit, soundBytesPerSecond } = this.#parts.limits;
    if (message.length > limit) {
      const text = `The frame of sound has ${message.length} bytes; the limit is ${limit}.`;
      return errors.sendError(problem('frame_too_large', { message: text, limit }), {});
    }
    if (!this.#frames.spend() || !this.#bytes.spend(message.length))
      return errors.sendError(problem('too_much_sound', { limit: soundBytesPerSecond }), {});
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
}
