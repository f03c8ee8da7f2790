// The refs of SAYs: keeps the turn that each ref of a connection has opened, the SAYs in flight, and the refs of SAYs that are refused
// because their CANCEL came before them.
import type { NodeId, SpeakerId, WordsCommand } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import { type CommandKey, commandName } from '../transcript/decided-commands.ts';
import type { SayReply, SayRequest } from './api.ts';

/** The limit of refs with a turn, and of refused refs, for each connection. */
const refsPerConnection = 256;

/** The limit of refused SAYs whose turns are kept, for a session. */
const maxRefusedTurns = 256;

/** What a SAY says, or a RESUME: under one ref it is always the same. */
export interface SayContent extends Pick<SayRequest, 'text' | 'parts' | 'options'> {
  /** The turn that a RESUME names. */
  readonly resumes?: NodeId | undefined;
}

/** A SAY that has no reply yet. */
export interface SayInFlight extends SayContent {
  readonly turn: NodeId;
  readonly owner: SpeakerId;
  readonly command: WordsCommand;
  readonly steer: SayRequest['steer'];
  readonly reply: Promise<SayReply>;
}

interface ConnectionRefs {
  readonly turns: BoundedMap<string, NodeId>;
  /** Refs whose CANCEL came before their SAY, with the timer that removes each of them. */
  readonly refused: Map<string, Disarm>;
}

export class IdempotencyKeys {
  readonly #clock: Clock;
  readonly #tombstoneMs: number;
  /** The refs of each connection; null until a ref is used: most sessions have none. */
  #connections: Map<string, ConnectionRefs> | null = null;
  #inFlight: Map<string, SayInFlight> | null = null;
  /** Turns of SAYs that were refused: they never existed. */
  #refusedTurns: BoundedMap<NodeId, true> | null = null;

  /** `tombstoneMs`: how long a CANCEL that comes before its SAY is kept, in milliseconds. */
  constructor(clock: Clock, tombstoneMs: number) {
    this.#clock = clock;
    this.#tombstoneMs = tombstoneMs;
  }

  /** The number of connections with refs and of SAYs in flight. */
  get size(): number {
    return (this.#connections?.size ?? 0) + (this.#inFlight?.size ?? 0);
  }

  /** Keeps the turn of a SAY, for `say:<ref>` targets of the same connection. */
  keepTurn(connection: string, ref: string, turn: NodeId): void {
    this.#refsOf(connection).turns.set(ref, turn);
  }

  /** The turn that a ref of the connection has opened. */
  turnOf(connection: string, ref: string): NodeId | undefined {
    return this.#connections?.get(connection)?.turns.get(ref);
  }

  /** Marks the turn of a SAY that is refused: a CANCEL of `say:<ref>` may be under way to it. */
  markRefused(turn: NodeId): void {
    this.#refusedTurns ??= new BoundedMap(maxRefusedTurns);
    this.#refusedTurns.set(turn, true);
  }

  /** Whether the SAY of this turn was refused. */
  wasRefused(turn: NodeId): boolean {
    return this.#refusedTurns?.has(turn) ?? false;
  }

  /** The SAY under this key that has no reply yet, on whatever connection. */
  sayInFlight(key: CommandKey): SayInFlight | undefined {
    return this.#inFlight?.get(commandName(key));
  }

  /** Keeps a SAY until its reply. */
  keepInFlight(key: CommandKey, say: SayInFlight): void {
    const name = commandName(key);
    this.#inFlight ??= new Map();
    this.#inFlight.set(name, say);
    void say.reply.then(() => this.#inFlight?.delete(name));
  }

  /** Refuses SAYs with this ref for `tombstoneMs`. Has no effect above the limit of refused refs. */
  refuseNextSay(connection: string, ref: string): void {
    const { refused } = this.#refsOf(connection);
    if (refused.has(ref) || refused.size >= refsPerConnection) return;
    refused.set(
      ref,
      this.#clock.after(this.#tombstoneMs, () => refused.delete(ref)),
    );
  }

  /** Whether a CANCEL came before this SAY. Stays true for a repeat of the SAY. */
  isRefused(connection: string, ref: string): boolean {
    return this.#connections?.get(connection)?.refused.has(ref) ?? false;
  }

  /** Removes the refs of a connection. Its SAYs in flight stay. */
  forgetConnection(connection: string): void {
    for (const disarm of this.#connections?.get(connection)?.refused.values() ?? []) disarm();
    this.#connections?.delete(connection);
  }

  /** Removes everything, and stops the timers. */
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
