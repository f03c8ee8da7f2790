// The status of a session in words, and by how its last turn has ended.
import type { OutcomeKind, SessionStatus } from '../../../machines/vocabulary.ts';

const statuses: Readonly<Record<OutcomeKind, SessionStatus>> = {
  completed: 'done',
  superseded: 'done',
  continues: 'done',
  denied: 'done',
  cancelled: 'stopped',
  abandoned: 'stopped',
  timed_out: 'failed',
  failed: 'failed',
};

/** Returns the status of a session whose last turn has this outcome. */
export const endedStatus = (outcome: OutcomeKind): SessionStatus => statuses[outcome];

/** The status, as lists name it. */
export const statusTexts: Readonly<Record<SessionStatus, string>> = {
  asks: 'asks you',
  runs: 'runs',
  stopped: 'stopped',
  failed: 'failed',
  done: 'done',
  new: 'nothing said yet',
};
