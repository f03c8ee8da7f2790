// The scopes of a gateway's connections: each is a tree of its own, and belongs to the sessions that it has joined.
//
// 1. A connection belongs to a session from its JOIN on, also after it has left: so whoever reads the session sees it close.
// 2. A frame of a session belongs to that session only.
import type { AnyActorRef, AnyEventObject } from 'xstate';
import type { VisibleFields } from '../wire/inspection.ts';
import type { InspectedConnections } from '../wire/inspection-source.ts';
import { field, idOf, pickId, pickIds } from './visible-fields.ts';

/** Where an actor's records belong. */
export interface RecordScope {
  /** The session of the record. */
  readonly session: string;
  /** XState's id of the root of its tree. */
  readonly root: string;
  /** The sessions whose readers may read the record. */
  readonly sessions: readonly string[];
}

/** A connection that has joined and left more sessions than this belongs to the latest ones only. */
const maxSessions = 64;

/** The events that a connection receives of its own. Every other one is a frame. */
const ownEvents = new Set(['HELLO', 'PING', 'CLOSE', 'OVERDUE', 'GONE']);
const isFrame = ({ type }: AnyEventObject): boolean => !ownEvents.has(type) && !type.startsWith('xstate.');

export class ConnectionScopes {
  readonly #connections: InspectedConnections;
  readonly #scopes = new WeakMap<AnyActorRef, RecordScope>();

  constructor(connections: InspectedConnections) {
    this.#connections = connections;
  }

  /** The actors of the connections that are open. */
  actors(): readonly AnyActorRef[] {
    return this.#connections.list() as readonly AnyActorRef[]; // a gateway attaches actors of XState
  }

  /** Returns what is visible of a connection beside its state. */
  fieldsOf({ id }: AnyActorRef): VisibleFields {
    const { speakerOf, sessionsOf } = this.#connections;
    return { ...pickId('speaker', speakerOf(id)), ...pickIds('sessions', sessionsOf(id)) };
  }

  /** Returns the scope of an actor at or below a connection. */
  scopeOf(actor: AnyActorRef): RecordScope {
    const connection = this.#connectionOf(actor);
    const known = this.#scopes.get(connection);
    const joined = this.#connections.sessionsOf(connection.id);
    if (known && joined.every((session) => known.sessions.includes(session))) return known;
    const sessions = [...new Set([...(known?.sessions ?? []), ...joined])].slice(-maxSessions);
    const [only = ''] = sessions;
    const scope = { session: sessions.length === 1 ? only : '', root: connection.sessionId, sessions };
    this.#scopes.set(connection, scope);
    return scope;
  }

  /** Returns the scope of an event that a connection receives, and of its step on it. A frame that names no session is of the only one joined. */
  scopeOfEvent(actor: AnyActorRef, event: AnyEventObject): RecordScope {
    const scope = this.scopeOf(actor);
    if (!isFrame(event)) return scope;
    const joined = this.#connections.sessionsOf(this.#connectionOf(actor).id);
    const named = idOf(field(event, 'session')) ?? (joined.length === 1 ? joined[0] : null);
    return named === null ? scope : { ...scope, sessions: scope.sessions.filter((session) => session === named) };
  }

  /** Returns the actor of the connection that an actor is or belongs to. */
  #connectionOf(actor: AnyActorRef): AnyActorRef {
    let at = actor;
    while (at._parent && at._parent !== this.#connections.parent) at = at._parent;
    return at;
  }
}
