// The status of a session for one speaker, in a list: whether it asks them something, runs, or how it has ended.
import { answersByRole } from '../../../machines/standing.ts';
import type { SessionStatus } from '../../../machines/vocabulary.ts';
import type { FoundSession } from '../contracts/session-search.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { Caller } from '../session/api.ts';
import { endedStatus } from '../words/ended-status.ts';

/** Returns the status of a session. `entries`: its live tree; null: it is not awake here. */
export function statusOf(
  caller: Caller,
  entries: readonly NodeEntry[] | null,
  lastTurn: FoundSession['lastTurn'],
): SessionStatus {
  if (entries?.some((entry) => asks(entry, caller))) return 'asks';
  if (entries?.some(({ kind, isSettled }) => kind === 'turn' && !isSettled)) return 'runs';
  if (lastTurn === null) return 'new';
  return lastTurn.outcome === 'open' ? 'runs' : endedStatus(lastTurn.outcome); // another host has one that is open
}

/** Whether a node has an open question that the caller may answer. */
export const asks = ({ question }: NodeEntry, { speaker }: Caller): boolean =>
  question !== null && (question.asked.to === speaker.id || answersByRole(speaker));
