// The blobs of one session: stores what its speakers and tools give, and knows which blobs a SAY may name.
import type { ContentPart, LoadedMedia, LoadedPart, MediaPart } from '../../../machines/content.ts';
import type { Fact, SequencedFact } from '../../../machines/facts.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import { dropUndefined } from '../collections/fields.ts';
import { type BlobLimits, type BlobStore, blobIdOf, type GivenBlob } from '../contracts/blobs.ts';

/** Blobs that a SAY may name: the last ones that were stored or named. */
const maxKnown = 4_096;

export interface SessionBlobsOptions {
  readonly store: BlobStore;
  readonly session: string;
  readonly limits: BlobLimits;
  readonly warn: (message: string, error: unknown) => void;
}

/** The content in a fact. Provider state (`model_state`) is not content. */
const contentIn = (fact: Fact): readonly ContentPart[] => {
  if (fact.type === 'imported') return fact.messages.flatMap(({ parts = [] }) => parts);
  return fact.type === 'turn_opened' || fact.type === 'input_deferred' || fact.type === 'tool_result'
    ? (fact.parts ?? [])
    : [];
};

/** Returns the images, sounds and files that the facts name. */
export const mediaIn = (facts: readonly Fact[]): readonly MediaPart[] =>
  facts.flatMap(contentIn).filter((part): part is MediaPart => part.type !== 'text');

export class SessionBlobs {
  readonly #options: SessionBlobsOptions;
  /** Sizes in bytes, by id. Null until there is a blob: most sessions have none. */
  #known: BoundedMap<string, number> | null = null;

  constructor(options: SessionBlobsOptions) {
    this.#options = options;
  }

  /** Whether the part names a blob that was stored for this session, with its size. It may have been swept. */
  knows({ blob, bytes }: MediaPart): boolean {
    return this.#known?.get(blob) === bytes;
  }

  /** Stores bytes; they are durable when it resolves with their ids. Rejects with `BlobTooLarge` or `StoreFailed`, and then none is stored. */
  async store(contents: readonly Uint8Array[]): Promise<readonly string[]> {
    const blobs = contents.map((data): GivenBlob => ({ id: blobIdOf(data), data }));
    const { store, session, limits } = this.#options;
    if (blobs.length > 0) await store.put(session, blobs, limits);
    for (const { id, data } of blobs) this.#know(id, data.length);
    return blobs.map(({ id }) => id);
  }

  /** Stores the bytes of a content, and resolves with the content that facts and messages have. Rejects as `store` does. */
  async storeContent(parts: readonly LoadedPart[]): Promise<readonly ContentPart[]> {
    const media = parts.filter((part): part is LoadedMedia => part.type !== 'text');
    const ids = await this.store(media.map(({ data }) => data));
    const named = new Map(media.map((part, i) => [part, ids[i] ?? '']));
    return parts.map((part): ContentPart => {
      if (part.type === 'text') return part;
      const { type, mediaType, data, name } = part;
      return { type, blob: named.get(part) ?? '', mediaType, bytes: data.length, ...dropUndefined({ name }) };
    });
  }

  /** Resolves with the bytes of a blob; null if the session has no such blob, or has it no more. Rejects with `StoreFailed`. */
  read(blob: string): Promise<Uint8Array | null> {
    return this.#options.store.read(this.#options.session, blob);
  }

  /**
   * Adds all facts of earlier lives of the session, before anything is stored for it. Removes the blobs that none of them names: the process
   * has ended between a blob and its fact.
   */
  add(events: readonly SequencedFact[]): void {
    if (events.length === 0) return; // the session is new
    const named = new Set<string>();
    for (const { blob, bytes } of mediaIn(events.map(({ fact }) => fact))) {
      named.add(blob);
      this.#know(blob, bytes);
    }
    const { store, session, warn } = this.#options;
    store
      .keepOnly(session, [...named])
      .catch((error: unknown) =>
        warn(`Blobs of the session ${session} that nothing names could not be removed.`, error),
      );
  }

  #know(id: string, bytes: number): void {
    this.#known ??= new BoundedMap(maxKnown);
    this.#known.set(id, bytes);
  }
}
