// Speaker whose sound goes to the provider: it has one input for each session, so that it gets one speaker at a time, and never a mix.
//
// 1. A speaker has the input until somebody else is loud while nobody speaks, or until nothing comes any more.
// 2. While the provider hears somebody speak, the input stays with that speaker.
import type { SpeakerId } from '../../../../machines/vocabulary.ts';
import { BoundedMap } from '../../../core/collections/bounded-map.ts';
import { type SpeakerSound, soundMs } from '../../../core/contracts/sound.ts';
import { msSince } from '../../../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../../core/sources/sources.ts';

/** Milliseconds without sound after which a speaker has the input no more. */
const goneMs = 1_000;
/** Sound of others that is kept, in milliseconds: the beginning of a word comes before it is loud. */
const keptMs = 300;
/** The mean amplitude from which on sound is taken for a voice: -36 dB of full scale. */
const loudFrom = 500;
/** Speakers whose last sound is kept. */
const maxSpeakers = 100;
/** Spans of the input whose speaker is remembered. */
const maxSpans = 200;

interface Holder {
  readonly speaker: SpeakerId;
  soundAt: MonotonicTime;
  isLoud: boolean;
}

/** A part of the input, in milliseconds of all that was sent. */
interface Span {
  readonly speaker: SpeakerId;
  readonly from: number;
  to: number;
}

export class InputFloor {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #kept = new BoundedMap<SpeakerId, Uint8Array[]>(maxSpeakers);
  #holder: Holder | null = null;
  readonly #spans: Span[] = [];
  #sentMs = 0;
  /** Whether the provider hears somebody speak. */
  isSpeaking = false;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Milliseconds of sound that were sent. */
  get sentMs(): number {
    return this.#sentMs;
  }

  /** Returns what is to be sent. */
  pass({ speaker, pcm }: SpeakerSound): readonly Uint8Array[] {
    const isLoud = loudness(pcm) >= loudFrom;
    if (this.#mayTake(speaker, isLoud)) this.#holder = { speaker, soundAt: this.#clock.elapsed(), isLoud };
    if (this.#holder?.speaker !== speaker) {
      this.#keep(speaker, pcm);
      return [];
    }
    this.#holder.soundAt = this.#clock.elapsed();
    this.#holder.isLoud = isLoud;
    const pieces = [...(this.#kept.get(speaker) ?? []), pcm];
    this.#kept.delete(speaker);
    for (const piece of pieces) this.#note(speaker, soundMs(piece));
    return pieces;
  }

  /** Returns who has spoken most of the input from a moment on; null: nothing was sent since. */
  speakerSince(ms: number): SpeakerId | null {
    const shares = new Map<SpeakerId, number>();
    for (const { speaker, from, to } of this.#spans)
      if (to > ms) shares.set(speaker, (shares.get(speaker) ?? 0) + to - Math.max(from, ms));
    const [most] = [...shares].sort(([, a], [, b]) => b - a);
    return most?.[0] ?? this.#spans.at(-1)?.speaker ?? null;
  }

  #mayTake(speaker: SpeakerId, isLoud: boolean): boolean {
    const holder = this.#holder;
    if (!holder || msSince(this.#clock, holder.soundAt) > goneMs) return true;
    return holder.speaker !== speaker && isLoud && !holder.isLoud && !this.isSpeaking;
  }

  #keep(speaker: SpeakerId, pcm: Uint8Array): void {
    const kept = [...(this.#kept.get(speaker) ?? []), pcm];
    while (kept.length > 1 && kept.reduce((sum, piece) => sum + soundMs(piece), 0) > keptMs) kept.shift();
    this.#kept.set(speaker, kept);
  }

  #note(speaker: SpeakerId, ms: number): void {
    const last = this.#spans.at(-1);
    if (last?.speaker === speaker) last.to += ms;
    else this.#spans.push({ speaker, from: this.#sentMs, to: this.#sentMs + ms });
    this.#sentMs += ms;
    if (this.#spans.length > maxSpans) this.#spans.shift();
  }
}

/** Returns the mean amplitude of sound, from 0 to 32 768. */
function loudness(pcm: Uint8Array): number {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const samples = pcm.byteLength >> 1;
  let sum = 0;
  for (let i = 0; i < samples; i++) sum += Math.abs(view.getInt16(i * 2, true));
  return samples === 0 ? 0 : sum / samples;
}
