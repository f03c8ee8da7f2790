// Paces the sound of the bot's speech for one listener, who plays one piece after the other.
//
// 1. No more than `aheadMs` of sound is sent before its time: a listener that ignores a stop is silent that much later.
// 2. Speech that is stopped is dropped in the tick of the stop; speech that is paused, or waits for the floor, is kept, and that of another turn passes it.
// 3. Sound whose time has come and that a slow reader has no room for waits, up to `queueBytes`. Then the oldest is dropped.
import type { NodeId } from '../../machines/vocabulary.ts';
import { BoundedMap } from '../core/collections/bounded-map.ts';
import { bytesPerSample, type SpeechSound, samplesPerMs, soundMs } from '../core/contracts/sound.ts';
import { addMs, msUntil } from '../core/sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../core/sources/sources.ts';

/** The length of a frame, and the time between two looks at what is due, in milliseconds. */
const frameMs = 20;
const frameBytes = frameMs * samplesPerMs * bytesPerSample;
/** Turns whose blocks, pauses and stops are remembered. */
const maxTurns = 1_000;
/** Sound that waits for its time, in bytes: two minutes. */
const maxWaitingBytes = 5_760_000;

export interface PacedSoundOptions {
  readonly clock: Clock;
  readonly aheadMs: number;
  /** Bytes of sound that may wait although their time has come. */
  readonly queueBytes: number;
  /** Whether the listener has room just now. */
  hasRoom(): boolean;
  send(sound: SpeechSound): void;
}

interface Waiting {
  readonly sound: SpeechSound;
  /** When it is to be sent to somebody who reads without a pause. */
  due: MonotonicTime;
}

export class PacedSound {
  readonly #options: PacedSoundOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Until when the listener plays what was sent. */
  #playsUntil: MonotonicTime;
  /** Until when all that waits would be played. */
  #endsAt: MonotonicTime;
  readonly #paused = new Set<NodeId>();
  /** The newest block of each turn. */
  readonly #newest = new BoundedMap<NodeId, number>(maxTurns);
  /** The newest block of each turn whose sound was stopped. */
  readonly #stopped = new BoundedMap<NodeId, number>(maxTurns);
  #disarm: Disarm | null = null;
  #dropped = 0;

  constructor(options: PacedSoundOptions) {
    this.#options = options;
    this.#playsUntil = options.clock.elapsed();
    this.#endsAt = this.#playsUntil;
  }

  /** Frames that were dropped because of a slow reader. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#waitingBytes;
  }

  /** A block of a turn has begun: a stop of the turn's speech reaches it. */
  noteBlock(turn: NodeId, index: number): void {
    this.#newest.set(turn, Math.max(index, this.#newest.get(turn) ?? 0));
  }

  /** Sends sound, or keeps it until its time. */
  add(sound: SpeechSound): void {
    const { turn, index, pcm, position } = sound;
    if (index <= (this.#stopped.get(turn) ?? -1)) return;
    this.noteBlock(turn, index);
    for (let at = 0; at < pcm.length; at += frameBytes) {
      const piece = pcm.subarray(at, at + frameBytes);
      this.#schedule({
        sound: { turn, index, pcm: piece, position: position + at / bytesPerSample },
        due: this.#endsAt,
      });
    }
    while (this.#waitingBytes > maxWaitingBytes) this.#dropOldest();
    this.#sendDue();
  }

  /** Sends nothing of the turn until `resume` or `stop`. */
  pause(turn: NodeId): void {
    this.#paused.add(turn);
  }

  resume(turn: NodeId): void {
    if (!this.#paused.delete(turn)) return;
    this.#reschedule();
    this.#sendDue();
  }

  /** Drops what waits of the blocks that a turn has begun, and what comes of them. `andLater`: of all its blocks. */
  stop(turn: NodeId, { andLater = false }: { readonly andLater?: boolean } = {}): void {
    const through = andLater ? Number.POSITIVE_INFINITY : (this.#newest.get(turn) ?? -1);
    this.#stopped.set(turn, Math.max(through, this.#stopped.get(turn) ?? -1));
    this.#paused.delete(turn);
    const kept = this.#waiting.filter(({ sound }) => sound.turn !== turn || sound.index > through);
    if (kept.length === this.#waiting.length) return;
    this.#waiting = kept;
    this.#waitingBytes = kept.reduce((sum, { sound }) => sum + sound.pcm.length, 0);
    this.#reschedule();
    this.#sendDue();
  }

  /** Drops everything. */
  close(): void {
    this.#disarm?.();
    this.#disarm = null;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #schedule(waiting: Waiting): void {
    const { clock, aheadMs } = this.#options;
    const begins = later(this.#endsAt, clock.elapsed());
    this.#endsAt = addMs(begins, soundMs(waiting.sound.pcm));
    this.#waiting.push({ ...waiting, due: addMs(begins, -aheadMs) });
    this.#waitingBytes += waiting.sound.pcm.length;
  }

  /** Schedules what waits anew: speech was paused, or some of it is gone. */
  #reschedule(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#endsAt = later(this.#playsUntil, this.#options.clock.elapsed());
    for (const one of waiting) this.#schedule(one);
  }

  readonly #sendDue = (): void => {
    const { clock, aheadMs, hasRoom, send } = this.#options;
    this.#disarm?.();
    this.#disarm = null;
    for (;;) {
      const at = this.#waiting.findIndex(({ sound }) => !this.#paused.has(sound.turn));
      const next = this.#waiting[at];
      if (!next || !hasRoom()) break;
      const until = addMs(later(this.#playsUntil, clock.elapsed()), soundMs(next.sound.pcm));
      if (msUntil(clock, until) > aheadMs) break;
      this.#playsUntil = until;
      this.#remove(at);
      send(next.sound);
    }
    this.#dropLate();
    if (this.#waiting.length > 0) this.#disarm = clock.after(frameMs, this.#sendDue);
  };

  /** Drops the oldest of what should have been sent, as far as it is more than may wait. */
  #dropLate(): void {
    const { clock, queueBytes } = this.#options;
    const [first] = this.#waiting;
    if (!first || this.#paused.has(first.sound.turn)) return;
    let [late, bytes] = [0, 0];
    for (const { sound, due } of this.#waiting) {
      if (msUntil(clock, due) >= -frameMs) break;
      late += 1;
      bytes += sound.pcm.length;
    }
    for (const { sound } of this.#waiting.slice(0, late)) {
      if (bytes <= queueBytes) return;
      bytes -= sound.pcm.length;
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    this.#remove(0);
    this.#dropped += 1;
  }

  #remove(at: number): void {
    for (const { sound } of this.#waiting.splice(at, 1)) this.#waitingBytes -= sound.pcm.length;
  }
}

const later = (one: MonotonicTime, other: MonotonicTime): MonotonicTime => (one > other ? one : other);
