// The connections of a gateway, by id.
import type { Connection } from './connection.ts';
import { UnprovenConnections, type UnprovenLimits } from './unproven-connections.ts';

export class ConnectionTable {
  readonly #connections = new Map<string, Connection>();
  readonly byId: ReadonlyMap<string, Connection> = this.#connections;
  readonly #unproven: UnprovenConnections;
  #emptied: PromiseWithResolvers<void> | null = null;

  constructor(unproven: UnprovenLimits) {
    this.#unproven = new UnprovenConnections(unproven);
  }

  /** Adds a connection whose speaker is not known yet. If there are too many of these, closes one. `address`: the connections of one address have a limit. */
  add(id: string, address: string, connection: Connection): void {
    this.#connections.set(id, connection);
    const evicted = this.#unproven.add(id, address);
    if (evicted !== null) this.#connections.get(evicted)?.evict();
  }

  /** Marks a connection as proven: its speaker is known, and it is no longer closed to make room for another one. */
  prove(id: string): void {
    this.#unproven.delete(id);
  }

  delete(id: string): void {
    const connection = this.#connections.get(id);
    if (!connection) return;
    this.#connections.delete(id);
    this.#unproven.delete(id);
    connection.releaseShare();
    if (this.#connections.size === 0) this.#emptied?.resolve();
  }

  /** Resolves when the table is empty. To be called when no more connections are added. */
  whenEmpty(): Promise<void> {
    this.#emptied ??= Promise.withResolvers();
    if (this.#connections.size === 0) this.#emptied.resolve();
    return this.#emptied.promise;
  }
}
