// The connections of a gateway, by id.
import type { SpeakerId } from '../../machines/vocabulary.ts';
import type { ConnectionActions } from './connection-actions.ts';

export class ConnectionTable {
  readonly #connections = new Map<string, ConnectionActions>();
  #emptied: PromiseWithResolvers<void> | null = null;

  get size(): number {
    return this.#connections.size;
  }

  add(id: string, connection: ConnectionActions): void {
    this.#connections.set(id, connection);
  }

  find(id: string): ConnectionActions | undefined {
    return this.#connections.get(id);
  }

  delete(id: string): void {
    this.#connections.delete(id);
    if (this.#connections.size === 0) this.#emptied?.resolve();
  }

  values(): Iterable<ConnectionActions> {
    return this.#connections.values();
  }

  countOf(speaker: SpeakerId): number {
    let count = 0;
    for (const connection of this.#connections.values()) if (connection.speaker?.id === speaker) count += 1;
    return count;
  }

  /** Resolves when the table is empty. To be called when nothing is added any more. */
  whenEmpty(): Promise<void> {
    this.#emptied ??= Promise.withResolvers();
    if (this.#connections.size === 0) this.#emptied.resolve();
    return this.#emptied.promise;
  }
}
