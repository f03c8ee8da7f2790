// The rules of causes: what follows from the source of a stop.
import type { CauseSource, OutcomeKind } from './vocabulary.ts';

/** What follows from the source of a cause. */
export interface CauseRule {
  /** How a node ends that it stops. A node that crashed is `failed`: see src/core/session/crash.ts. */
  readonly outcome: OutcomeKind;
  /** Whether its speaker must have standing: a cause of the runtime itself needs none. */
  readonly needsStanding: boolean;
  /** Whether a person has asked for the stop, and gets an acknowledgement. */
  readonly isRequest: boolean;
  /** Whether it is part of how a turn goes on: it passes the shield of the turn, and is the cause of what it stops also where a CANCEL is pending. */
  readonly isRoutine: boolean;
}

const request: CauseRule = { outcome: 'cancelled', needsStanding: true, isRequest: true, isRoutine: false };
const ending: CauseRule = { outcome: 'cancelled', needsStanding: false, isRequest: false, isRoutine: false };

const causeRules: Readonly<Record<CauseSource, CauseRule>> = {
  client: request,
  phrase: request,
  http: request,
  disconnect: { ...request, isRequest: false },
  model: { ...request, isRequest: false },
  deadline: { outcome: 'timed_out', needsStanding: false, isRequest: false, isRoutine: true },
  superseded: { outcome: 'superseded', needsStanding: true, isRequest: false, isRoutine: true },
  shutdown: ending,
  crash: ending,
};

/** Returns what follows from the source of a cause. A log or a frame of a later version may have one that is not known here. */
export const ruleOfCause = (source: CauseSource): CauseRule =>
  Object.hasOwn(causeRules, source) ? causeRules[source] : { ...request, isRequest: false };
