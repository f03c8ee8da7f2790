// The last records, and the picture of the machines before and after any of them.
//
// Records lie in chunks; each chunk has the picture before its first record. So a picture costs a copy and the fold of a part of one chunk,
// and the oldest chunk can be dropped without a fold. A place is the number of records before it, counted from the first that was received.

import { BoundedMap } from '../../../core/collections/bounded-map.ts';
import type { ActorRecord, EventRecord, InspectionRecord } from '../../../wire/inspection.ts';
import { type ActorIdentity, kindOf } from './actor-titles.ts';
import { Picture } from './picture.ts';

interface Chunk {
  readonly start: number;
  /** Before its first record. */
  readonly picture: Picture;
  readonly records: InspectionRecord[];
}

export interface HistoryLimits {
  /** How many records are kept at least, once so many have come. */
  readonly capacity?: number;
  readonly chunkSize?: number;
}

export const defaultCapacity = 20_000;

export class RecordHistory {
  readonly #capacity: number;
  readonly #chunkSize: number;
  #chunks: Chunk[] = [];
  #head = new Picture();
  #newest = 0;
  /** The place of the last break: what is alive after it says nothing about before. */
  #breakAt = 0;
  readonly #identities: BoundedMap<string, ActorIdentity>;
  /** The turn below each link. */
  readonly #turns: BoundedMap<string, string>;

  constructor({ capacity = defaultCapacity, chunkSize = 200 }: HistoryLimits = {}) {
    this.#capacity = capacity;
    this.#chunkSize = chunkSize;
    this.#identities = new BoundedMap(capacity);
    this.#turns = new BoundedMap(capacity);
    this.find = this.find.bind(this);
  }

  /** The place before the oldest record that is kept. */
  get oldest(): number {
    return this.#chunks[0]?.start ?? this.#newest;
  }

  /** The place after the newest record: also how many records were received. */
  get newest(): number {
    return this.#newest;
  }

  /** The picture after the newest record. It changes with the next. */
  get head(): Picture {
    return this.#head;
  }

  /** Returns what names an actor, also of one that a picture has dropped. */
  find(id: string): ActorIdentity | undefined {
    return this.#identities.get(id);
  }

  /** Returns the sender of an event: in the place of a link the actor whose event it passes on. Null: it comes from outside the machines. */
  senderOf({ from, actor }: EventRecord): string | null {
    const sender = from === null ? undefined : this.find(from);
    if (from === null || !sender || kindOf(sender) !== 'link') return from;
    return actor === sender.parent ? (this.#turns.get(from) ?? from) : sender.parent;
  }

  /** Adds a record. */
  push(record: InspectionRecord): void {
    if (record.type === 'actor') this.#identify(record);
    const last = this.#chunks.at(-1);
    const isFull = !last || last.records.length >= this.#chunkSize;
    (isFull ? this.#addChunk(new Picture(this.#head)) : last).records.push(record);
    this.#head.apply(record);
    this.#newest += 1;
  }

  /** Adds what is known of an actor that started before the first record since the last break. */
  identify(record: ActorRecord): void {
    if (!this.#identities.has(record.actor)) this.#identify(record);
    for (const { start, picture } of this.#chunks) if (start >= this.#breakAt) picture.identify(record);
    this.#head.identify(record);
  }

  /** Records were missed: the picture starts anew, from what is alive. */
  startAnew(): void {
    this.#head = new Picture();
    this.#breakAt = this.#newest;
    if (this.#chunks.at(-1)?.records.length === 0) this.#chunks.pop();
    this.#addChunk(new Picture());
  }

  /** Returns the record after a place. */
  recordAt(place: number): InspectionRecord | undefined {
    const chunk = this.#chunkAt(place);
    return chunk?.records[place - chunk.start];
  }

  /** Returns the records between two places. */
  recordsBetween(from: number, to: number): readonly InspectionRecord[] {
    const chunks = this.#chunks.filter(({ start, records }) => start < to && start + records.length > from);
    return chunks.flatMap(({ start, records }) => records.slice(Math.max(0, from - start), to - start));
  }

  /** Returns the picture at a place. That of a place that is not kept any more is the oldest one. */
  pictureAt(place: number): Picture {
    if (place >= this.#newest) return this.#head;
    const chunk = this.#chunkAt(place) ?? this.#chunks[0];
    if (!chunk) return this.#head;
    const picture = new Picture(chunk.picture);
    for (const record of chunk.records.slice(0, Math.max(0, place - chunk.start))) picture.apply(record);
    return picture;
  }

  /** Returns the place after the last record whose `n` is at most the given one. */
  placeOf(n: number): number {
    let low = this.oldest;
    let high = this.#newest;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.recordAt(middle)?.n ?? 0) <= n) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #identify(record: ActorRecord): void {
    this.#identities.set(record.actor, record);
    const parent = record.parent === null ? undefined : this.find(record.parent);
    if (record.parent !== null && parent && kindOf(parent) === 'link') this.#turns.set(record.parent, record.actor);
  }

  #addChunk(picture: Picture): Chunk {
    const chunk: Chunk = { start: this.#newest, picture, records: [] };
    this.#chunks.push(chunk);
    while (this.#newest - (this.#chunks[1]?.start ?? this.#newest) >= this.#capacity) this.#chunks.shift();
    return chunk;
  }

  #chunkAt(place: number): Chunk | undefined {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.start ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return this.#chunks[low - 1];
  }
}
