// The scopes of a gateway's connections: each is a tree of its own, and belongs to the sessions that it has joined.
//
// A connection belongs to a session from its JOIN on, also after it has left: so whoever reads the session sees it close.
import type { AnyActorRef } from 'xstate';
import type { VisibleFields } from '../protocol/inspection.ts';
import type { InspectedConnections } from '../protocol/inspection-source.ts';
import { pickId, pickIds } from './visible-fields.ts';

/** Where an actor's records belong. */
export interface RecordScope {
  /** Of the record. */
  readonly session: string;
  /** XState's id of the root of its tree. */
  readonly root: string;
  /** The sessions whose readers may read the record. */
  readonly sessions: readonly string[];
}

/** A connection that has joined and left more sessions than this belongs to the latest ones only. */
const maxSessions = 64;

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

  /** Returns the actor of the connection that an actor is or belongs to. */
  #connectionOf(actor: AnyActorRef): AnyActorRef {
    let at = actor;
    while (at._parent && at._parent !== this.#connections.parent) at = at._parent;
    return at;
  }
}
