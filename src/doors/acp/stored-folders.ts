// The sessions of the store that have folders of their own, as the client lists them.
import type { ListSessionsRequest, ListSessionsResponse, SessionInfo } from '@agentclientprotocol/sdk';
import type { Caller } from '../../core/session/api.ts';
import { realFolder } from '../../core/tools/folders.ts';
import type { EmbeddedRuntime } from '../../embed/runtime.ts';

/** The folders of a session; the first one is its working folder. */
export type SessionFolders = readonly [string, ...string[]];

/** Sessions that are looked at for one response. */
const pageSessions = 100;

/** Resolves with the folders that a session was opened with, the working folder first; null: there is no such session, or it has none. */
export async function readFolders(
  { sessions }: Pick<EmbeddedRuntime, 'sessions'>,
  session: string,
): Promise<SessionFolders | null> {
  for await (const { fact } of sessions.export(session)) {
    if (fact.type === 'session_opened') continue;
    if (fact.type !== 'session_configured') return null; // it follows the opening
    const [cwd, ...others] = fact.options.roots ?? [];
    return cwd === undefined ? null : [cwd, ...others];
  }
  return null;
}

/** Resolves with a page of the sessions in which something was said, the newest first. */
export async function listSessions(
  runtime: Pick<EmbeddedRuntime, 'sessions' | 'directory'>,
  caller: Caller,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const directory = await runtime.directory();
  const query = { action: 'read', state: null, order: 'newest', after: cursor ?? null, limit: pageSessions } as const;
  const { sessions, next } = await directory.list(caller, query);
  const wanted = typeof cwd === 'string' ? realFolder(cwd) : null;
  const listed: SessionInfo[] = [];
  for (const { session, title, lastAt } of sessions) {
    const folders = title === null ? null : await readFolders(runtime, session);
    if (folders === null || (wanted !== null && folders[0] !== wanted)) continue;
    const [own, ...additionalDirectories] = folders;
    listed.push({
      sessionId: session,
      cwd: own,
      ...(additionalDirectories.length > 0 && { additionalDirectories }),
      title,
      ...(lastAt !== null && { updatedAt: new Date(lastAt).toISOString() }),
    });
  }
  return { sessions: listed, nextCursor: next };
}
