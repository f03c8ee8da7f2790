// The sessions of single requests: each is deleted when nothing happens in it any more.
import { SessionInUse } from '../../core/session/session-archive.ts';
import type { HttpServices } from '../../gateway/http/http-services.ts';

/** How long a deletion waits, in milliseconds, where something still runs in the session: a detached agent, a call that was abandoned. Longer each time. */
const firstWaitMs = 100;
const maxWaitMs = 30_000;

/** Deletes a session of the program as soon as nothing happens in it. A failure of the store is reported; the session then stays. */
export function deleteWhenIdle(
  session: string,
  services: Pick<HttpServices, 'runtime' | 'clock' | 'gateway' | 'report'>,
  waitMs = firstWaitMs,
): void {
  const { runtime, clock, gateway, report } = services;
  runtime.deleteSession(session, null).catch((error: unknown) => {
    if (gateway.state === 'closing') return;
    if (!(error instanceof SessionInUse)) return report(error);
    clock.after(waitMs, () => deleteWhenIdle(session, services, Math.min(2 * waitMs, maxWaitMs)));
  });
}
