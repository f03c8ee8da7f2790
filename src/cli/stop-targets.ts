// Finds in the store the sessions and nodes that `belay stop` stops.
import { existsSync } from 'node:fs';
import { StoreReader } from '../transcript/store-reader.ts';
import { ConfigError } from './config-error.ts';

export interface StopTarget {
  readonly session: string;
  /** `session`, or the id of a node. */
  readonly target: string;
}

export interface WantedStop {
  /** The id of a session or of a node; null: everything. */
  readonly id: string | null;
  /** The session of the node, where no store says it. */
  readonly session: string | undefined;
  /** Null: there is none that this process can read. */
  readonly store: string | null;
}

/** Returns what is to be stopped. Throws `ConfigError` if that cannot be known. */
export function findStopTargets({ id, session, store }: WantedStop): readonly StopTarget[] {
  if (session !== undefined) return [{ session, target: id ?? 'session' }];
  if (store === null || !existsSync(store)) {
    if (id !== null) return [{ session: id, target: 'session' }];
    throw new ConfigError('--all needs the store of the gateway, which knows its sessions: --store FILE.');
  }
  const reader = new StoreReader(store);
  try {
    const sessions = reader.sessions();
    // a session that sleeps has been released: nothing runs in it
    if (id === null) return sessions.flatMap(({ session: name, holder }) => (holder ? [wholeSession(name)] : []));
    if (sessions.some((each) => each.session === id)) return [wholeSession(id)];
    const [holding] = reader.sessionsWith(id);
    if (holding === undefined) throw new ConfigError(`There is nothing of the id ${id} in the store ${store}.`);
    return [{ session: holding, target: id }];
  } finally {
    reader.close();
  }
}

const wholeSession = (session: string): StopTarget => ({ session, target: 'session' });
