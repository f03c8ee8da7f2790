// Loads what the first session needs, and no start: sessions, their machines and workers.
import type { SharedParts } from '../session/shared-parts.ts';

/** What a runtime makes its sessions of. */
export type LoadedParts = SharedParts & Awaited<ReturnType<typeof loadSessions>>;

/** Resolves with the class of sessions and their chart. */
export async function loadSessions() {
  const [{ sessionLogic: logic }, { Session }] = await Promise.all([
    import('./provide.ts'),
    import('../session/session.ts'),
  ]);
  return { logic, Session };
}
