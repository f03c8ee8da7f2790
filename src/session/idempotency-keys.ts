// The idempotency keys of SAYs: which turn a ref has opened, which SAY waits for its reply, and which is refused because its CANCEL
// came first.
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import type { SayReply } from './api.ts';

/** Refs that are kept for a connection. */
const refsPerConnection = 256;

/** A SAY without a reply. */
export interface SayInFlight {
  readonly turn: NodeId;
  readonly reply: Promise<SayReply>;
}

interface ConnectionRefs {
  readonly turns: BoundedMap<string, NodeId>;
  /** Refs whose CANCEL came first. */
  readonly refused: Map<string, Disarm>;
}

export class IdempotencyKeys {
  readonly #clock: Clock;
  readonly #tombstoneMs: number;
  /** Null: no ref was used yet. */
  #connections: Map<string, ConnectionRefs> | null = null;
  #inFlight: Map<string, SayInFlight> | null = null;

  /** `tombstoneMs`: how long a CANCEL that comes before its SAY is kept. */
  constructor(clock: Clock, tombstoneMs: number) {
    this.#clock = clock;
    this.#tombstoneMs = tombstoneMs;
  }

  /** Connections with refs, and SAYs in flight. */
  get size(): number {
    return (this.#connections?.size ?? 0) + (this.#inFlight?.size ?? 0);
  }

  /** Keeps the turn of a SAY, for `say:<ref>` targets of the same connection. */
  keepTurn(connection: string, ref: string, turn: NodeId): void {
    this.#refsOf(connection).turns.set(ref, turn);
  }

  turnOf(connection: string, ref: string): NodeId | undefined {
    return this.#connections?.get(connection)?.turns.get(ref);
  }

  /** The SAY of this speaker under this ref that has no reply yet, on whatever connection. */
  sayInFlight(by: SpeakerId, ref: string): SayInFlight | undefined {
    return this.#inFlight?.get(keyOf(by, ref));
  }

  /** Keeps a SAY until its reply. */
  keepInFlight(by: SpeakerId, ref: string, say: SayInFlight): void {
    const key = keyOf(by, ref);
    this.#inFlight ??= new Map();
    this.#inFlight.set(key, say);
    void say.reply.then(() => this.#inFlight?.delete(key));
  }

  /** Refuses the SAY of this ref if it comes within `tombstoneMs`. */
  refuseNextSay(connection: string, ref: string): void {
    const { refused } = this.#refsOf(connection);
    if (refused.has(ref) || refused.size >= refsPerConnection) return;
    refused.set(
      ref,
      this.#clock.after(this.#tombstoneMs, () => refused.delete(ref)),
    );
  }

  /** Whether a CANCEL came before this SAY. Said again, it is the same SAY. */
  isRefused(connection: string, ref: string): boolean {
    return this.#connections?.get(connection)?.refused.has(ref) ?? false;
  }

  forgetConnection(connection: string): void {
    for (const disarm of this.#connections?.get(connection)?.refused.values() ?? []) disarm();
    this.#connections?.delete(connection);
  }

  close(): void {
    for (const connection of [...(this.#connections?.keys() ?? [])]) this.forgetConnection(connection);
    this.#inFlight = null;
  }

  #refsOf(connection: string): ConnectionRefs {
    this.#connections ??= new Map();
    const known = this.#connections.get(connection);
    if (known) return known;
    const refs = { turns: new BoundedMap<string, NodeId>(refsPerConnection), refused: new Map<string, Disarm>() };
    this.#connections.set(connection, refs);
    return refs;
  }
}

const keyOf = (by: SpeakerId, ref: string) => JSON.stringify([by, ref]);
