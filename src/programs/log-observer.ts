// Makes the lines of the program's log: from the notifications of an observer, and from refused connections.
import { FactLines, type LogLine, logLine } from '../core/reports/log-lines.ts';
import type { FactMoments, Observer } from '../core/session/session-spec.ts';
import { msBetween } from '../core/sources/monotonic-time.ts';
import type { MonotonicTime } from '../core/sources/sources.ts';
import { countText } from '../core/words/count-text.ts';
import type { TokenChanges } from '../gateway/auth/watched-token-file.ts';
import type { ReportedRefusal } from '../gateway/refusal-reports.ts';

/** Creates an observer that calls `write` for each line. */
export function createLogObserver(write: (line: LogLine) => void): Observer {
  const facts = new FactLines();
  let startedAt: MonotonicTime | null = null;
  const elapsedMs = (moments: FactMoments | null) => {
    if (!moments) return null;
    startedAt ??= moments.appendedAt;
    return msBetween(startedAt, moments.appendedAt);
  };
  return {
    reportsAbandoned: true,
    fact(session, _seq, fact, moments) {
      for (const line of facts.linesOf(session, fact, elapsedMs(moments))) write(line);
    },
    joined({ session, speaker, connection }) {
      write(logLine('join', `${speaker} joined`, { session, speaker, connection }));
    },
    refused({ session, speaker, action, code }) {
      write(logLine('refusal', `${speaker} may not ${action}: ${code}`, { session, speaker, action, code }));
    },
    recovered({ sessions, turns, processes }) {
      const message = `recovered ${countText(sessions, 'session')}, closed ${countText(turns, 'turn')}, ended ${countText(processes, 'process', 'processes')}`;
      write(logLine('recovery', message, { sessions, turns, processes }));
    },
    deleted(session) {
      write(logLine('deletion', 'the session was deleted', { session }));
    },
  };
}

/** Returns the line of a token file that has changed. */
export function tokensLine({ added, revoked }: TokenChanges): LogLine {
  const message = `the token file has changed: ${countText(revoked, 'token')} revoked, ${added} new`;
  return logLine('tokens', message, { added, revoked });
}

/** Returns the line of a connection or a request that was refused before its speaker was known. */
export function refusalLine({ door, code, status, address, unreported }: ReportedRefusal): LogLine {
  const others = unreported === 0 ? '' : `; ${unreported} more since the last such line`;
  const message = `${address || 'a client'} may not connect (${door}): ${[code, status].filter(Boolean).join(' ')}${others}`;
  return logLine('connection_refused', message, { door, code, status, address: address || null, unreported });
}
