// The person at a terminal.
import type { ClientSession } from '../client/joined-session.ts';

/** The person who reads the lines. */
export interface Viewer {
  readonly speaker: string;
  /** Whether the ref is of a command of this terminal. */
  isMine(ref: string | null): boolean;
}

/** Returns the viewer of a session. While its history is replayed first, no words are their own: they are shown like those of others. */
export function viewerOf(session: Pick<ClientSession, 'on'>, viewer: Viewer, hasHistory: boolean): Viewer {
  if (!hasHistory) return viewer;
  let isInHistory = true;
  const stop = session.on('replayed', () => {
    stop(); // a replay after a lost connection is no history
    isInHistory = false;
  });
  return { ...viewer, isMine: (ref) => !isInHistory && viewer.isMine(ref) };
}
