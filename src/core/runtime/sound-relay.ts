// Passes sound from whoever makes it to whoever has subscribed, by the id of the session, within this process. Loaded with the first use of sound.
//
// 1. It keeps no sound: what nobody has subscribed to is gone.
// 2. It keeps which characters are spoken when, for the latest blocks of a session that has subscribers.
import { BoundedMap } from '../collections/bounded-map.ts';
import {
  bytesPerSample,
  type SoundListener,
  type SoundRelay,
  type SpeakerSound,
  type SpeechSound,
  type SpokenPlace,
  samplesPerMs,
} from '../contracts/sound.ts';

/** Blocks of a session whose places are kept. */
const maxBlocks = 64;

/** So many characters are spoken when so many samples were played. */
interface NamedPlace {
  readonly samples: number;
  readonly offset: number;
  readonly estimated: boolean;
}

interface SessionSound {
  readonly listeners: Set<SoundListener>;
  /** By block, in their order. */
  readonly places: BoundedMap<string, NamedPlace[]>;
}

const blockKey = ({ turn, index }: Pick<SpeechSound, 'turn' | 'index'>): string => `${index} ${turn}`;

export class LocalSoundRelay implements SoundRelay {
  readonly #sessions = new Map<string, SessionSound>();

  /** Sessions that have subscribers. */
  get size(): number {
    return this.#sessions.size;
  }

  publishSpeaker(session: string, sound: SpeakerSound): void {
    for (const listener of this.#sessions.get(session)?.listeners ?? []) listener.speaker?.(sound);
  }

  publishSpeech(session: string, sound: SpeechSound): void {
    const known = this.#sessions.get(session);
    if (!known) return;
    const { offset, position, pcm, estimated = false } = sound;
    if (offset !== undefined) {
      const key = blockKey(sound);
      const places = known.places.get(key) ?? [];
      places.push({ samples: position + pcm.length / bytesPerSample, offset, estimated });
      known.places.set(key, places);
    }
    for (const listener of known.listeners) listener.speech?.(sound);
  }

  subscribe(session: string, listener: SoundListener): () => void {
    const known = this.#sessions.get(session) ?? { listeners: new Set(), places: new BoundedMap(maxBlocks) };
    this.#sessions.set(session, known);
    known.listeners.add(listener);
    return () => {
      known.listeners.delete(listener);
      if (known.listeners.size === 0 && this.#sessions.get(session) === known) this.#sessions.delete(session);
    };
  }

  placeAt(session: string, block: Pick<SpeechSound, 'turn' | 'index'>, ms: number): SpokenPlace | null {
    const places = this.#sessions.get(session)?.places.get(blockKey(block));
    const samples = ms * samplesPerMs;
    const last = places?.at(-1);
    if (!places || !last) return null;
    const next = places.find((place) => place.samples >= samples);
    if (!next) return { offset: last.offset, estimated: last.estimated };
    if (next.samples === samples) return { offset: next.offset, estimated: next.estimated };
    const before = places[places.indexOf(next) - 1] ?? { samples: 0, offset: 0 };
    const share = (samples - before.samples) / (next.samples - before.samples);
    return { offset: before.offset + Math.floor(share * (next.offset - before.offset)), estimated: true };
  }
}
