// The voice detection of the strict Realtime server, by loudness: somebody speaks from 60 ms of loud sound on, until it has been quiet for a while.
const bytesPerMs = 48;
const frameMs = 20;
const loudFrom = 500;
const startMs = 60;
const paddingMs = 300;

export interface VoiceChange {
  readonly type: 'started' | 'stopped';
  /** Milliseconds of all sound that was appended. */
  readonly ms: number;
}

export class VoiceDetector {
  #buffer: Buffer[] = [];
  #rest = Buffer.alloc(0);
  #ms = 0;
  #loudMs = 0;
  #quietMs = 0;
  #state: 'quiet' | 'speaking' = 'quiet';
  /** The item that what is spoken now will be. */
  item: string | null = null;

  get isEmpty(): boolean {
    return this.#buffer.length === 0;
  }

  /** Appends sound. Returns the changes in it. */
  append(pcm: Buffer, silenceMs: number): readonly VoiceChange[] {
    const changes: VoiceChange[] = [];
    let sound = Buffer.concat([this.#rest, pcm]);
    const size = frameMs * bytesPerMs;
    for (; sound.length >= size; sound = sound.subarray(size)) {
      const change = this.#frame(Buffer.from(sound.subarray(0, size)), silenceMs);
      if (change) changes.push(change);
    }
    this.#rest = Buffer.from(sound);
    return changes;
  }

  /** Takes what was spoken. */
  take(): Buffer {
    const taken = Buffer.concat(this.#buffer);
    this.clear();
    return taken;
  }

  clear(): void {
    this.#buffer = [];
    this.#state = 'quiet';
    this.#loudMs = 0;
    this.item = null;
  }

  #frame(frame: Buffer, silenceMs: number): VoiceChange | null {
    this.#buffer.push(frame);
    this.#ms += frameMs;
    let sum = 0;
    for (let at = 0; at < frame.length; at += 2) sum += Math.abs(frame.readInt16LE(at));
    const isLoud = sum / (frame.length / 2) >= loudFrom;
    this.#loudMs = isLoud ? this.#loudMs + frameMs : 0;
    this.#quietMs = isLoud ? 0 : this.#quietMs + frameMs;
    if (this.#state === 'quiet') {
      while (this.#buffer.length > (paddingMs + startMs) / frameMs) this.#buffer.shift();
      if (this.#loudMs < startMs) return null;
      this.#state = 'speaking';
      return { type: 'started', ms: Math.max(0, this.#ms - startMs - paddingMs) };
    }
    if (this.#quietMs < silenceMs) return null;
    this.#state = 'quiet';
    this.#loudMs = 0;
    return { type: 'stopped', ms: this.#ms };
  }
}
