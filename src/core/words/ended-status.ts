// The status of a session by how its last turn has ended.
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
