// Keeps who is in a session: the connections that have joined it, the rooms that bridges relay into it, and when the last connection of a speaker
// went. Publishes the session's events to the connections.

import type { CancelAccepted, SequencedFact } from '../../../machines/facts.ts';
import type {
  ModelPreview,
  OutputDelta,
  SpeechChange,
  TextDelta,
  ToolProgress,
  ToolWaiting,
} from '../../../machines/live-view.ts';
import type { LeaveReason, RoomRole, Speaker, SpeakerId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import type { StreamListener } from '../live/text-stream.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../sources/sources.ts';
import type { Projection } from '../transcript/journal.ts';
import type { OwnedNode, ParticipantCount } from '../workers/services.ts';
import type { Caller, JoinedSessionEnd, SessionListener } from './api.ts';
import type { Inbox } from './inbox.ts';
import type { RoomChange, RoomReply } from './member-api.ts';
import { PresentSpeakers } from './present-speakers.ts';

type Room = Map<SpeakerId, readonly RoomRole[]>;

/** The speakers in the rooms of bridges, and the roles of these, as reported by SPEAKER. */
export class Rooms {
  readonly #moderators: ReadonlySet<SpeakerId>;
  /** By the connection of the bridge. Null until a bridge has said who is there. */
  #byConnection: Map<string, Room> | null = null;

  constructor(moderators: ReadonlySet<SpeakerId>) {
    this.#moderators = moderators;
  }

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

  /** Returns a caller for whom a bridge speaks, with the roles of the room alone (`member` by default): it proves no name. Any other has those of the session beside the proven ones. */
  withRoles(caller: Caller): Caller {
    const { id, roles: proven } = caller.speaker;
    const isGiven = this.#moderators.has(id) && !proven.includes('moderator');
    if (caller.via === undefined)
      return isGiven ? { ...caller, speaker: { id, roles: [...proven, 'moderator'] } } : caller;
    const roles = this.#byConnection?.get(caller.connection)?.get(id) ?? ['member'];
    return { ...caller, speaker: { id, roles } };
  }
}

/** Speakers without a connection whose time of going is kept. */
const maxGone = 1_000;

interface Joined {
  readonly caller: Caller;
  readonly listener: SessionListener;
}

export interface PresenceOptions {
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly rooms: Rooms;
  /** Speakers who may be in the rooms of the session. */
  readonly roomLimit: number;
  /** How long a speaker whose last connection was lost still counts as present, in milliseconds. */
  readonly graceMs: number;
  /** How long an owner of live nodes counts as a participant without a connection, in milliseconds. */
  readonly absentMs: number;
  /** `cancel`: the turns of a speaker whose last connection was lost are cancelled after the grace. */
  readonly onDisconnect: 'cancel' | 'continue';
  /** Called after a connection of the speaker has come or gone. */
  onConnections(speaker: SpeakerId): void;
}

export class Presence implements Projection, StreamListener, ParticipantCount {
  readonly #options: PresenceOptions;
  readonly #present = new PresentSpeakers();
  /** In the order in which they joined. */
  #joined: readonly Joined[] = [];
  /** Speakers within the grace, each with its timer. Null until a connection is lost. */
  #lost: Map<SpeakerId, Disarm> | null = null;
  /** When the last connection of a speaker went. Null until one goes. */
  #goneAt: BoundedMap<SpeakerId, MonotonicTime> | null = null;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** The number of connections that have joined and of speakers within the grace. */
  get size(): number {
    return this.#joined.length + (this.#lost?.size ?? 0);
  }

  /** Whether a connection has joined. */
  get hasListeners(): boolean {
    return this.#joined.length > 0;
  }

  /** Adds a connection. Replaces an earlier one with the same id. Ends the grace of its speaker. */
  addConnection(caller: Caller, listener: SessionListener): void {
    this.#joined = [...this.#joined.filter((one) => one.caller.connection !== caller.connection), { caller, listener }];
    this.#lost?.get(caller.speaker.id)?.();
    this.#lost?.delete(caller.speaker.id);
    this.#goneAt?.delete(caller.speaker.id);
    this.#present.publish(this.#speakerIds(), this.#joined);
    this.#options.onConnections(caller.speaker.id);
  }

  /** Removes a connection, if it had joined. `lost`: its speaker, if it has no other connection, stays present for the grace. */
  removeConnection(connection: string, how: LeaveReason): void {
    const joined = this.#joined.find(({ caller }) => caller.connection === connection);
    if (!joined) return;
    this.#joined = this.#joined.filter((one) => one !== joined);
    for (const id of this.#options.rooms.deleteRoom(connection)) if (!this.#isThere(id)) this.#noteGone(id);
    const { speaker } = joined.caller;
    if (!this.#joined.some(({ caller }) => caller.speaker.id === speaker.id)) {
      this.#noteGone(speaker.id);
      if (how === 'lost') this.#startGrace(speaker);
    }
    this.#present.publish(this.#speakerIds(), this.#joined);
    this.#options.onConnections(speaker.id);
  }

  /** A speaker has come into the room of a bridge that has joined, or has left it. A bridge makes nobody a moderator unless its token makes it one. */
  setSpeaker({ speaker: { id }, via, connection }: Caller, { present, roles = ['member'] }: RoomChange): RoomReply {
    const { rooms, roomLimit } = this.#options;
    if (via === undefined) return { type: 'as_not_allowed' };
    const bridge = this.#joined.find(({ caller }) => caller.connection === connection)?.caller.speaker;
    if (roles.includes('moderator') && !bridge?.roles.includes('moderator')) return { type: 'role_not_allowed' };
    if (present && !rooms.has(id) && rooms.size >= roomLimit) return { type: 'too_many_speakers', limit: roomLimit };
    rooms.set(connection, id, roles);
    if (present) this.#goneAt?.delete(id);
    else rooms.delete(connection, id);
    if (!present && !this.#isThere(id)) this.#noteGone(id);
    this.#present.publish(this.#speakerIds(), this.#joined);
    return { type: 'speaker', present, roles };
  }

  /** Whether the listener is still that of a joined connection, or the connection of this id has joined. */
  isJoined(one: SessionListener | string): boolean {
    return this.#joined.some(({ listener, caller }) => listener === one || caller.connection === one);
  }

  /** The listeners of the connections of a speaker that have joined: of a bridge, also for a room in which it is no participant itself. */
  listenersOf(speaker: SpeakerId): readonly SessionListener[] {
    return this.#joined.flatMap(({ caller, listener }) => (caller.speaker.id === speaker ? listener : []));
  }

  /** The speakers of all connections, and those within the grace. */
  speakers(): readonly SpeakerId[] {
    return [...this.#speakerIds()];
  }

  /**
   * Counts the speakers who are present, `also`, who need not be, and the owners of these nodes who have not been absent for longer than
   * `absentMs`: one whose line is lost does not give up the right to decide. An owner who never joined (a bridge spoke for them) is absent
   * from the start of their oldest node on.
   */
  countParticipants(also: SpeakerId | null, nodes: Iterable<OwnedNode>): number {
    const present = this.#speakerIds();
    if (also !== null) present.add(also);
    const { clock, absentMs } = this.#options;
    const oldest = new Map<SpeakerId, MonotonicTime>();
    for (const { owner, addedAt } of nodes) {
      const known = oldest.get(owner);
      if (known === undefined || addedAt < known) oldest.set(owner, addedAt);
    }
    for (const [owner, addedAt] of oldest)
      if (msSince(clock, this.#goneAt?.get(owner) ?? addedAt) < absentMs) present.add(owner);
    return present.size;
  }

  onCommitted(event: SequencedFact): void {
    for (const { listener } of this.#joined) listener.fact(event);
  }

  text(delta: TextDelta): void {
    for (const { listener } of this.#joined) listener.text(delta);
  }

  preview(preview: ModelPreview): void {
    for (const { listener } of this.#joined) listener.preview?.(preview);
  }

  output(delta: OutputDelta): void {
    for (const { listener } of this.#joined) listener.output(delta);
  }

  progress(progress: ToolProgress): void {
    for (const { listener } of this.#joined) listener.progress(progress);
  }

  waiting(waiting: ToolWaiting): void {
    for (const { listener } of this.#joined) listener.waiting?.(waiting);
  }

  speech(change: SpeechChange): void {
    for (const { listener } of this.#joined) listener.speech?.(change);
  }

  /** Publishes an acceptance before its commit, which has not come within `acceptWaitMs`. */
  accepted(receipt: CancelAccepted): void {
    for (const { listener } of this.#joined) listener.accepted(receipt);
  }

  /** Removes the connections of a speaker, and notifies their listeners. Returns their ids. */
  removeSpeaker(speaker: SpeakerId): readonly string[] {
    const removed = this.#joined.filter(({ caller }) => caller.speaker.id === speaker);
    for (const { caller } of removed) this.removeConnection(caller.connection, 'left');
    for (const { listener } of removed) listener.ended('removed');
    return removed.map(({ caller }) => caller.connection);
  }

  /** Removes every connection, and notifies its listener of the session's end. */
  close(reason: JoinedSessionEnd): void {
    const closed = this.#joined;
    this.#joined = [];
    for (const disarm of this.#lost?.values() ?? []) disarm();
    this.#lost = null;
    this.#goneAt = null;
    for (const { listener } of closed) listener.ended(reason);
  }

  /** A bridge that has said who is in its room is no participant itself. */
  #speakerIds(): Set<SpeakerId> {
    const { rooms } = this.#options;
    const joined = this.#joined.flatMap(
      ({ caller: { connection, speaker } }) => rooms.speakersOf(connection) ?? [speaker.id],
    );
    return new Set([...joined, ...(this.#lost?.keys() ?? [])]);
  }

  #isThere(speaker: SpeakerId): boolean {
    return this.#speakerIds().has(speaker);
  }

  #noteGone(speaker: SpeakerId): void {
    this.#goneAt ??= new BoundedMap(maxGone);
    this.#goneAt.set(speaker, this.#options.clock.elapsed());
  }

  #startGrace(speaker: Speaker): void {
    const { clock, inbox, graceMs, onDisconnect } = this.#options;
    this.#lost ??= new Map();
    const disarm = clock.after(graceMs, () => {
      this.#lost?.delete(speaker.id);
      this.#present.publish(this.#speakerIds(), this.#joined);
      if (onDisconnect !== 'cancel') return;
      inbox.post({ type: 'CANCEL', source: 'disconnect', by: speaker, target: 'mine' });
    });
    this.#lost.set(speaker.id, disarm);
  }
}
