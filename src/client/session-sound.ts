// The sound of a session over the connection of a client: sends what speakers say, and receives what the bot speaks.
//
// 1. It keeps the sample position of each speaker, and of each block.
// 2. It plays nothing and records nothing: in a browser `SoundPlayer` and `SoundRecorder` do. In Node use its streams with files, pipes and devices.
import type { SoundTerms } from '../wire/server-frames.ts';
import { decodeSound, encodeSound, soundHeaderBytes } from '../wire/sound-codec.ts';
import { platformSources } from './client-sources.ts';

/** A piece of what the bot speaks of a text block. */
export interface SpokenSound {
  readonly turn: string;
  readonly index: number;
  /** The number of samples of the block before it. */
  readonly position: number;
  /** 24 000 samples a second, each of 16 bits, the low byte first. */
  readonly pcm: Uint8Array;
}

/** The part of a client that carries sound. */
export interface SoundClient {
  readonly soundTerms: SoundTerms | null;
  sendSound(message: Uint8Array): void;
  on(type: 'sound', listener: (message: Uint8Array) => void): () => void;
}

/** The most that a stream of a speaker sends at once, in milliseconds. */
const sliceMs = 20;
const bytesPerMs = 48;
/** The greatest names that a header may have: of a session and of a speaker, in bytes. */
const maxNameBytes = 512;

export class SessionSound {
  readonly #client: SoundClient;
  readonly #session: string;
  /** Samples that were sent, by speaker. */
  readonly #positions = new Map<string, number>();

  /** `client`: connected with `sound`. `session`: one that it has joined. */
  constructor(client: SoundClient, session: string) {
    this.#client = client;
    this.#session = session;
  }

  /**
   * Sends sound of a speaker as it is spoken: 24 000 samples a second of 16 bits, one channel, the low byte first.
   * @param speaker Bridges only: a speaker of the room. Left out: the speaker of the connection.
   */
  sendSound(pcm: Uint8Array, speaker = ''): void {
    const { frameBytes = 16_384 } = this.#client.soundTerms ?? {};
    const room = Math.max(2, frameBytes - soundHeaderBytes - maxNameBytes);
    const whole = pcm.length - (pcm.length % 2);
    for (let at = 0; at < whole; at += room - (room % 2)) {
      const piece = pcm.subarray(at, Math.min(at + room - (room % 2), whole));
      const position = this.#positions.get(speaker) ?? 0;
      const about = { kind: 'speaker', session: this.#session, name: speaker, block: 0 } as const;
      this.#client.sendSound(encodeSound({ ...about, position, pcm: piece }));
      this.#positions.set(speaker, position + piece.length / 2);
    }
  }

  /** Notes that a speaker was silent for so many milliseconds, of which nothing is sent. */
  skipSilence(ms: number, speaker = ''): void {
    this.#positions.set(speaker, (this.#positions.get(speaker) ?? 0) + Math.round(ms * 24));
  }

  /** Calls the listener with each piece that the bot speaks in this session, until the returned function is called. */
  onSpeech(listener: (sound: SpokenSound) => void): () => void {
    return this.#client.on('sound', (message) => {
      const decoded = decodeSound(message, 'speech');
      if (!decoded.ok || decoded.sound.session !== this.#session) return;
      const { name: turn, block: index, position, pcm } = decoded.sound;
      listener({ turn, index, position, pcm: pcm.slice() }); // for a view of its samples it begins at an even byte
    });
  }

  /** Returns a stream that sends what is written to it as a speaker's sound, no faster than it is spoken. In Node `Writable.fromWeb` makes a `Writable` of it. */
  speakerStream(speaker = ''): WritableStream<Uint8Array> {
    let rest = new Uint8Array();
    const pause = (ms: number) => new Promise<void>((resolve) => void platformSources.clock.after(ms, resolve));
    return new WritableStream<Uint8Array>({
      write: async (chunk) => {
        const bytes = new Uint8Array(rest.length + chunk.length);
        bytes.set(rest);
        bytes.set(chunk, rest.length);
        const whole = bytes.length - (bytes.length % 2);
        rest = bytes.subarray(whole);
        for (let at = 0; at < whole; at += sliceMs * bytesPerMs) {
          const slice = bytes.subarray(at, Math.min(at + sliceMs * bytesPerMs, whole));
          this.sendSound(slice, speaker);
          await pause(slice.length / bytesPerMs);
        }
      },
    });
  }

  /** Returns a stream of what the bot speaks from now on; in Node `Readable.fromWeb` makes a `Readable` of it. What is not read waits in it: read it as it is played, and drop it at `speech_stop`. */
  speechStream(): ReadableStream<SpokenSound> {
    let unsubscribe = () => {};
    return new ReadableStream<SpokenSound>({
      start: (controller) => {
        unsubscribe = this.onSpeech((sound) => controller.enqueue(sound));
      },
      cancel: () => unsubscribe(),
    });
  }
}
