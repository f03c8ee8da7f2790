// The session that a conversation shows, for every component in it.
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { OpenSession } from '../page-state/page-connection.ts';
import type { StopRequest, StopRequests } from './stop-requests.ts';

export interface SessionContextValue {
  readonly opened: OpenSession;
  readonly stops: StopRequests;
  /** The speaker of this page. */
  readonly speaker: string | null;
  readonly isModerator: boolean;
  /** The gateway knows FORK. */
  readonly canFork: boolean;
}

export const ChatSessionContext = createContext<SessionContextValue | null>(null);

/** Returns the session. Throws outside of a conversation. */
export function useSession(): SessionContextValue {
  const session = useContext(ChatSessionContext);
  if (!session) throw new Error('There is no session here: the component is outside of a conversation.');
  return session;
}

/** Returns the last stop of a target that this page has asked for, and follows it. */
export function useStopRequest(target: string): StopRequest {
  const { stops } = useSession();
  return useSyncExternalStore(stops.subscribe, () => stops.of(target));
}
