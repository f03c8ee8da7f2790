// The connection of the page, for every component below the app.
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { ClientState } from '../../client/reconnecting-link.ts';
import type { SessionSnapshot } from '../../client/view/snapshot.ts';
import { writeOutName } from '../../core/text/printable.ts';
import type { OpenSession, PageConnection } from './page-connection.ts';

export const ConnectionContext = createContext<PageConnection | null>(null);

/** Returns the connection. Throws outside of the app. */
export function useConnection(): PageConnection {
  const connection = useContext(ConnectionContext);
  if (!connection) throw new Error('There is no connection here: the component is outside of the app.');
  return connection;
}

/** Returns the state of the connection, and follows it. */
export function useConnectionState(): ClientState {
  const { subscribe, getState } = useConnection();
  return useSyncExternalStore(subscribe, getState);
}

/** Returns what a session looks like, and follows it. */
export function useSnapshot({ view }: OpenSession): SessionSnapshot {
  return useSyncExternalStore(view.subscribe, view.getSnapshot);
}

/** Returns the speaker of this connection; null before the first welcome. */
export function useSpeaker(): string | null {
  useConnectionState();
  const { speaker } = useConnection().client;
  return speaker === null ? null : writeOutName(speaker);
}
