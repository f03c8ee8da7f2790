// The outcomes of calls that were cut before a phase started, or whose phase threw.
import { outcomeOf } from '../../../machines/cancel.ts';
import type { CallWorkInput, PhaseReply } from '../../../machines/contracts.ts';
import type { Effect, Outcome } from '../../../machines/vocabulary.ts';
import { errorText } from '../text/error-text.ts';
import type { Job, WorkerLogic } from './worker.ts';

/** The outcome of a stopped call: its kind follows from the cause of the cut. */
export function stoppedOutcome(effect: Effect, { entry }: Pick<Job, 'entry'>): Outcome {
  return { kind: entry.cut ? outcomeOf(entry.cut) : 'cancelled', effect };
}

/** The two endings that the workers of all phases before `running` share. */
export const callEndings: Pick<WorkerLogic<CallWorkInput, PhaseReply, never>, 'stopped' | 'failed'> = {
  stopped: (_, job) => stoppedOutcome('not_started', job),
  failed: (error) => ({ kind: 'failed', effect: 'not_started', code: 'tool_failed', message: errorText(error) }),
};
