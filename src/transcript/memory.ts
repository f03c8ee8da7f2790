// The log in memory: for tests, and for a host that keeps no history.
import { Fenced, type Log, type LogBody, StoreFailed } from './log.ts';

interface Stored {
  epoch: number;
  holder: string | null;
  /** Bodies as JSON, like on disk: what is read is nobody else's object. */
  readonly events: { readonly epoch: number; readonly body: string }[];
}

export function createMemoryLog(): Log {
  const sessions = new Map<string, Stored>();
  let open = true;

  const find = (session: string): Stored | undefined => {
    if (!open) throw new StoreFailed('The log is closed.');
    return sessions.get(session);
  };
  const holding = (session: string, epoch: number): Stored => {
    const stored = find(session);
    if (stored?.epoch !== epoch)
      throw new Fenced(`${session} is in epoch ${stored?.epoch ?? 0} by now, not in ${epoch}.`);
    return stored;
  };

  return {
    async head(session) {
      const stored = find(session);
      return { epoch: stored?.epoch ?? 0, last: stored?.events.length ?? 0, holder: stored?.holder ?? null };
    },
    async claim(session, expectedEpoch, holder) {
      const stored = expectedEpoch === 0 ? find(session) : holding(session, expectedEpoch);
      if (stored && expectedEpoch === 0) throw new Fenced(`${session} has been claimed before.`);
      sessions.set(session, { epoch: expectedEpoch + 1, holder, events: stored?.events ?? [] });
      return expectedEpoch + 1;
    },
    async release(session, epoch) {
      holding(session, epoch).holder = null;
    },
    async held() {
      if (!open) throw new StoreFailed('The log is closed.');
      return [...sessions].filter(([, stored]) => stored.holder !== null).map(([session]) => session);
    },
    async append(session, epoch, expectedSeq, bodies) {
      const { events } = holding(session, epoch);
      if (events.length !== expectedSeq)
        throw new Fenced(`${session} ends at ${events.length} by now, not at ${expectedSeq}.`);
      const written = bodies.map((body) => ({ epoch, body: JSON.stringify(body) }));
      events.push(...written);
      return events.length;
    },
    async read(session, afterSeq, limit = Number.POSITIVE_INFINITY) {
      const events = find(session)?.events ?? [];
      return events
        .slice(afterSeq, afterSeq + limit)
        .map(({ epoch, body }, i) => ({ seq: afterSeq + i + 1, epoch, body: JSON.parse(body) as LogBody }));
    },
    async close() {
      open = false;
    },
  };
}
