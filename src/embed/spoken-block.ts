// The sound of one text block of a model that speaks: what waits to be written, and where in the text each part of it is.
//
// Such a model says how much text there is, and not when which of it is spoken. So the end of a block is a place that is known, and what lies before it is an estimate in proportion to the time.
import { bytesPerSample, samplesPerMs } from '../core/contracts/sound.ts';
import type { SpeechWriter } from './speech-writer.ts';

/** How fast speech is taken to be before its end is known, in characters a millisecond. */
const charsPerMs = 0.015;

interface Place {
  readonly samples: number;
  readonly offset: number;
}

export class SpokenBlock {
  readonly turn: string;
  readonly #writer: Pick<SpeechWriter, 'write'>;
  #waiting: Uint8Array[] = [];
  #places: Place[] = [{ samples: 0, offset: 0 }];
  /** Characters that are written. */
  #chars = 0;
  /** `whole`: no more sound comes. `dropped`: its speech was stopped. */
  #state: 'growing' | 'whole' | 'dropped' = 'growing';
  #writing: 'idle' | 'writing' = 'idle';

  constructor(turn: string, writer: Pick<SpeechWriter, 'write'>) {
    this.turn = turn;
    this.#writer = writer;
  }

  /** Adds sound. `written`: the characters of the block so far. */
  add(pcm: Uint8Array, written: number): void {
    if (this.#state !== 'growing') return;
    this.#chars = written;
    this.#waiting.push(pcm);
    void this.#write();
  }

  /** No more sound comes. `chars`: the length of the text. */
  endText(chars: number): void {
    if (this.#state !== 'growing') return;
    this.#chars = chars;
    this.#state = 'whole';
    void this.#write();
  }

  drop(): void {
    this.#state = 'dropped';
    this.#waiting = [];
  }

  /** Returns after how many milliseconds so many characters are spoken: the middle of the time of the next one, of which nobody knows more. */
  msAt(offset: number): number {
    const last = this.#places.at(-1);
    if (offset <= 0 || !last) return 0;
    const at = offset + 0.5;
    const next = this.#places.findIndex((place) => place.offset >= at);
    const [from, to] = [this.#places[next - 1], this.#places[next]];
    if (!from || !to) return last.samples / samplesPerMs;
    const share = (at - from.offset) / (to.offset - from.offset);
    return (from.samples + share * (to.samples - from.samples)) / samplesPerMs;
  }

  /** Writes what waits, but for the last piece as long as more may come: the end of the block is in it. */
  async #write(): Promise<void> {
    if (this.#writing === 'writing') return;
    this.#writing = 'writing';
    while (this.#waiting.length > (this.#state === 'whole' ? 0 : 1)) {
      const pcm = this.#waiting.shift() as Uint8Array; // there is one
      const place = this.#placeAfter(pcm);
      this.#places.push(place);
      const isEnd = this.#state === 'whole' && this.#waiting.length === 0;
      await this.#writer.write(pcm, { offset: place.offset, estimated: !isEnd });
    }
    this.#writing = 'idle';
  }

  #placeAfter(pcm: Uint8Array): Place {
    const before = this.#places.at(-1) ?? { samples: 0, offset: 0 };
    const added = pcm.length / bytesPerSample;
    const samples = before.samples + added;
    if (this.#state !== 'whole') {
      const offset = Math.round(before.offset + (added / samplesPerMs) * charsPerMs);
      return { samples, offset: Math.min(this.#chars, Math.max(before.offset, offset)) };
    }
    const left = this.#waiting.reduce((sum, piece) => sum + piece.length / bytesPerSample, added);
    const offset = before.offset + Math.round((added / left) * (this.#chars - before.offset));
    return { samples, offset: Math.max(before.offset, offset) };
  }
}
