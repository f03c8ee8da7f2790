// Writes the sound of a text block of a turn: to everybody who has joined the session with sound, paced, and until the speech of the turn is stopped.
import { bytesPerSample, type SoundRelay, type SpeechSound, soundMs } from '../core/contracts/sound.ts';
import { addMs, msUntil } from '../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../core/sources/sources.ts';

/** How much sound may be written before its time, in milliseconds. What is more waits in `write`. */
const leadMs = 2_000;
/** Bytes of one piece of it: a second. */
const maxPieceBytes = 48_000;

export interface SpeechWriterParts {
  readonly relay: SoundRelay;
  readonly session: string;
  readonly clock: Clock;
}

type WrittenPlace = Pick<SpeechSound, 'offset' | 'estimated'>;

export class SpeechWriter {
  readonly #parts: SpeechWriterParts;
  readonly #block: Pick<SpeechSound, 'turn' | 'index'>;
  #position = 0;
  /** Until when all that was written would be played. */
  #endsAt: MonotonicTime;

  constructor(parts: SpeechWriterParts, block: Pick<SpeechSound, 'turn' | 'index'>) {
    this.#parts = parts;
    this.#block = block;
    this.#endsAt = parts.clock.elapsed();
  }

  /** The number of samples that were written. */
  get position(): number {
    return this.#position;
  }

  /**
   * Writes sound: 24 000 samples a second of 16 bits, one channel, the low byte first. Resolves when less than two seconds of it are ahead of their time; write the next
   * piece then. What is written after the speech was stopped is not sent.
   *
   * @param place How many characters of the block are spoken at the end of it, if the voice says so: then `PLAYED` may be in milliseconds. `estimated`: that is an estimate.
   * @throws `RangeError` for half a sample.
   */
  async write(pcm: Uint8Array, { offset, estimated }: WrittenPlace = {}): Promise<void> {
    const { relay, session, clock } = this.#parts;
    if (pcm.length % bytesPerSample !== 0)
      throw new RangeError(
        `Sound has ${bytesPerSample} bytes a sample; ${pcm.length} bytes are no whole number of them.`,
      );
    for (let at = 0; at < pcm.length; at += maxPieceBytes) {
      const piece = new Uint8Array(pcm.subarray(at, at + maxPieceBytes)); // a copy: it may wait when this has resolved
      const isLast = at + piece.length === pcm.length;
      const sound = { ...this.#block, position: this.#position, pcm: piece };
      relay.publishSpeech(session, isLast ? { ...sound, offset, estimated } : sound);
      this.#position += piece.length / bytesPerSample;
    }
    const now = clock.elapsed();
    this.#endsAt = addMs(this.#endsAt > now ? this.#endsAt : now, soundMs(pcm));
    const waitMs = msUntil(clock, this.#endsAt) - leadMs;
    if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
  }
}
