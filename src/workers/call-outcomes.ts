// How a call ends that was cut before a phase began, or whose phase threw.
import { outcomeOf } from '../../machines/cancel.ts';
import type { CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import type { Effect, Outcome } from '../../machines/vocabulary.ts';
import { errorText } from '../text/error-text.ts';
import type { Job, WorkerLogic } from './worker.ts';

/** Under the name of the node's cause. */
export function stoppedAs(effect: Effect, { entry }: Job): Outcome {
  return { kind: entry.cut ? outcomeOf(entry.cut) : 'cancelled', effect };
}

export const callEndings: Pick<WorkerLogic<CallWorkInput, PhaseReply>, 'stopped' | 'failed'> = {
  stopped: (_, job) => stoppedAs('not_started', job),
  failed: (error) => ({ kind: 'failed', effect: 'not_started', code: 'tool_failed', message: errorText(error) }),
};
