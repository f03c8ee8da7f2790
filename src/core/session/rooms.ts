// The rooms that bridges relay into a session: their speakers and the roles of these, as reported by SPEAKER.
import type { RoomRole, SpeakerId } from '../../../machines/vocabulary.ts';
import type { Caller } from './api.ts';

type Room = Map<SpeakerId, readonly RoomRole[]>;

export class Rooms {
  /** By the connection of the bridge. Null until a bridge has said who is there. */
  #byConnection: Map<string, Room> | null = null;

  /** The number of speakers in all rooms. */
  get size(): number {
    return [...(this.#byConnection?.values() ?? [])].reduce((sum, room) => sum + room.size, 0);
  }

  /** The speakers of a bridge's room; null: the bridge has never said who is there. */
  speakersOf(connection: string): readonly SpeakerId[] | null {
    const room = this.#byConnection?.get(connection);
    return room ? [...room.keys()] : null;
  }

  /** Whether the speaker is in any of the rooms. */
  has(speaker: SpeakerId): boolean {
    return [...(this.#byConnection?.values() ?? [])].some((room) => room.has(speaker));
  }

  set(connection: string, speaker: SpeakerId, roles: readonly RoomRole[]): void {
    this.#byConnection ??= new Map();
    const room: Room = this.#byConnection.get(connection) ?? new Map();
    this.#byConnection.set(connection, room.set(speaker, roles));
  }

  /** Removes a speaker who has left. An empty room stays: its bridge is no participant. */
  delete(connection: string, speaker: SpeakerId): void {
    this.#byConnection?.get(connection)?.delete(speaker);
  }

  /** Deletes the room of a bridge whose connection has ended. Returns the speakers who were in it. */
  deleteRoom(connection: string): readonly SpeakerId[] {
    const speakers = this.speakersOf(connection) ?? [];
    this.#byConnection?.delete(connection);
    return speakers;
  }

  /** Returns a caller for whom a bridge speaks, with the roles of the room (`member` by default). Any other caller keeps the proven roles. */
  withRoles(caller: Caller): Caller {
    if (caller.via === undefined) return caller;
    const { id } = caller.speaker;
    const roles = this.#byConnection?.get(caller.connection)?.get(id) ?? ['member'];
    return { ...caller, speaker: { id, roles } };
  }
}
