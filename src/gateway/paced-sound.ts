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
import { UnplayedSound } from './unplayed-sound.ts';

/** The length of a frame, and the interval at which due sound is sent, in milliseconds. */
const frameMs = 20;
const frameBytes = frameMs * samplesPerMs * bytesPerSample;
/** Turns whose blocks, pauses and stops are remembered. */
const maxTurns = 1_000;
/** Sound that waits for its time, in bytes: two minutes. */
const maxWaitingBytes = 5_760_000;
/** A stop of a turn that began unseen: all blocks that the turn has begun by then. */
const allBegun = Number.MAX_SAFE_INTEGER;

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
  readonly due: MonotonicTime;
}

export class PacedSound {
  readonly #options: PacedSoundOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** What was sent. */
  readonly #unplayed: UnplayedSound;
  /** Until when all that waits would be played. */
  #endsAt: MonotonicTime;
  readonly #paused = new Set<NodeId>();
  /** The newest block of each turn that is known to have begun. */
  readonly #newest = new BoundedMap<NodeId, number>(maxTurns);
  /** The newest block of each turn of which sound has come. */
  readonly #newestSound = new BoundedMap<NodeId, number>(maxTurns);
  /** The newest block of each turn whose sound was stopped. */
  readonly #stopped = new BoundedMap<NodeId, number>(maxTurns);
  #disarm: Disarm | null = null;
  #dropped = 0;

  constructor(options: PacedSoundOptions) {
    this.#options = options;
    this.#unplayed = new UnplayedSound(options.clock);
    this.#endsAt = options.clock.elapsed();
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
    raise(this.#newest, turn, index);
  }

  /** A block of a turn begins just now: no earlier stop reaches it. */
  startBlock(turn: NodeId, index: number): void {
    if (this.#stopped.get(turn) === allBegun)
      this.#stopped.set(turn, Math.max(index - 1, this.#newestSound.get(turn) ?? -1));
    this.noteBlock(turn, index);
  }

  /** Sends sound, or keeps it until its time. */
  add(sound: SpeechSound): void {
    const { turn, index, pcm, position } = sound;
    if (index <= (this.#stopped.get(turn) ?? -1)) return;
    raise(this.#newestSound, turn, index);
    for (let at = 0; at < pcm.length; at += frameBytes) {
      const piece = pcm.subarray(at, at + frameBytes);
      this.#schedule({ turn, index, pcm: piece, position: position + at / bytesPerSample });
    }
    while (this.#waitingBytes > maxWaitingBytes) this.#dropOldest();
    this.#sendDue();
  }

  /** Sends nothing of the turn until `resume` or `stop`. */
  pause(turn: NodeId): void {
    this.#paused.add(turn);
    this.#unplayed.pause(turn);
  }

  resume(turn: NodeId): void {
    if (!this.#paused.delete(turn)) return;
    this.#unplayed.resume(turn);
    this.#reschedule();
    this.#sendDue();
  }

  /** Drops what waits of the blocks that a turn has begun, and what comes of them. `andLater`: of all its blocks. */
  stop(turn: NodeId, { andLater = false }: { readonly andLater?: boolean } = {}): void {
    const through = andLater ? Number.POSITIVE_INFINITY : this.#newestOf(turn);
    raise(this.#stopped, turn, through);
    this.#paused.delete(turn);
    const isLess = this.#unplayed.drop(turn, through);
    const kept = this.#waiting.filter(({ sound }) => sound.turn !== turn || sound.index > through);
    if (!isLess && kept.length === this.#waiting.length) return;
    this.#waiting = kept;
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

  /** Returns the newest block that a turn has begun. */
  #newestOf(turn: NodeId): number {
    const known = this.#newest.get(turn);
    return known === undefined ? allBegun : Math.max(known, this.#newestSound.get(turn) ?? -1);
  }

  #schedule(sound: SpeechSound): void {
    const { clock, aheadMs } = this.#options;
    const begins = later(this.#endsAt, clock.elapsed());
    this.#endsAt = addMs(begins, soundMs(sound.pcm));
    this.#waiting.push({ sound, due: addMs(begins, -aheadMs) });
    this.#waitingBytes += sound.pcm.length;
  }

  /** Schedules what waits anew: speech was paused, or some of it is gone. */
  #reschedule(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#endsAt = addMs(this.#options.clock.elapsed(), this.#unplayed.ms);
    for (const { sound } of waiting) this.#schedule(sound);
  }

  readonly #sendDue = (): void => {
    const { clock, aheadMs, hasRoom, send } = this.#options;
    this.#disarm?.();
    this.#disarm = null;
    for (;;) {
      const at = this.#waiting.findIndex(({ sound }) => !this.#paused.has(sound.turn));
      const next = this.#waiting[at];
      if (!next || !hasRoom()) break;
      const ms = soundMs(next.sound.pcm);
      if (this.#unplayed.ms + ms > aheadMs) break;
      this.#unplayed.add(next.sound, ms);
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

/** Raises the number of a turn to `index`, if it is below. */
const raise = (numbers: BoundedMap<NodeId, number>, turn: NodeId, index: number): void =>
  numbers.set(turn, Math.max(index, numbers.get(turn) ?? -1));

const later = (one: MonotonicTime, other: MonotonicTime): MonotonicTime => (one > other ? one : other);
