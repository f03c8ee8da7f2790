// The rooms that bridges relay into a session: which speakers are there, and with which roles, as the bridge has said by SPEAKER.
import type { RoomRole, SpeakerId } from '../../machines/vocabulary.ts';
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

  /** The speaker has left the room, which may be empty then. */
  delete(connection: string, speaker: SpeakerId): void {
    this.#byConnection?.get(connection)?.delete(speaker);
  }

  /** The bridge has gone, and its room with it. Returns the speakers who were there. */
  deleteRoom(connection: string): readonly SpeakerId[] {
    const speakers = this.speakersOf(connection) ?? [];
    this.#byConnection?.delete(connection);
    return speakers;
  }

  /** Gives a speaker whom a bridge speaks for the roles of the room: `member`, if the bridge has not said otherwise. Any other caller is as proven. */
  withRoles(caller: Caller): Caller {
    if (caller.via === undefined) return caller;
    const { id } = caller.speaker;
    const roles = this.#byConnection?.get(caller.connection)?.get(id) ?? ['member'];
    return { ...caller, speaker: { id, roles } };
  }
}
