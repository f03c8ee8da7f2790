// Loads what the first session needs, and no start: sessions, their machines and workers.
import type { SharedParts } from '../session/shared-parts.ts';

/** What a runtime makes its sessions of. */
export type LoadedParts = SharedParts & Awaited<ReturnType<typeof loadSessions>>;

/** Resolves with the class of sessions, their chart, and what makes their rules and services. */
export async function loadSessions() {
  const [{ sessionLogic: logic }, { Session }, { sessionSpecOf }, { createSessionServices }] = await Promise.all([
    import('./provide.ts'),
    import('../session/session.ts'),
    import('../session/session-spec.ts'),
    import('./session-services.ts'),
  ]);
  return { logic, Session, sessionSpecOf, createSessionServices };
}
