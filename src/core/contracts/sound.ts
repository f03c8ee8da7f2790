// Sound of a session: what its speakers say, and what the bot speaks. Plain values, which a bus can carry. Nothing of it is logged.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';

/** The only format: PCM of one channel, 24 000 samples a second, each of 16 bits with a sign, the low byte first. */
export const soundFormat = { encoding: 'pcm_s16le', rate: 24_000, channels: 1 } as const;

export const bytesPerSample = 2;
export const samplesPerMs = soundFormat.rate / 1_000;

/** Returns the length of sound in milliseconds. */
export const soundMs = (pcm: Uint8Array): number => pcm.length / bytesPerSample / samplesPerMs;

/** A piece of what a speaker says. */
export interface SpeakerSound {
  readonly speaker: SpeakerId;
  /** The number of samples of this speaker before it. A gap: sound was lost, or nobody spoke. */
  readonly position: number;
  readonly pcm: Uint8Array;
}

/** A piece of what the bot speaks of a text block of a turn. */
export interface SpeechSound {
  readonly turn: NodeId;
  readonly index: number;
  /** The number of samples of the block before it. */
  readonly position: number;
  readonly pcm: Uint8Array;
  /** How many characters (UTF-16 code units) of the block are spoken at its end. Left out: the voice does not say. */
  readonly offset?: number | undefined;
  /** `offset` is an estimate: the voice does not say which words it speaks. */
  readonly estimated?: boolean | undefined;
}

/** A subscriber to the sound of a session. No method may throw or wait. */
export interface SoundListener {
  speaker?(sound: SpeakerSound): void;
  speech?(sound: SpeechSound): void;
}

/** A place in a text block. */
export interface SpokenPlace {
  readonly offset: number;
  /** It is an estimate from the time: it lies between two places that the voice has named, or the voice names none. */
  readonly estimated: boolean;
}

/** Passes the sound of sessions on to those who have subscribed; what nobody has subscribed to is dropped. It checks no right. */
export interface SoundRelay {
  publishSpeaker(session: string, sound: SpeakerSound): void;
  publishSpeech(session: string, sound: SpeechSound): void;
  /** Calls the listener with everything that is published from now on, until the returned function is called. */
  subscribe(session: string, listener: SoundListener): () => void;
  /** Returns how many characters of a block are spoken when so many milliseconds of its sound were played; null: its voice has named no place. */
  placeAt(session: string, block: Pick<SpeechSound, 'turn' | 'index'>, ms: number): SpokenPlace | null;
}
