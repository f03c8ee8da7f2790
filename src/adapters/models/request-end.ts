// The end of one request to an endpoint, with what decides whether it is sent again.

import type { ModelEnd } from '../../core/contracts/provider.ts';
import { createFailure, type Failure } from './classify-failure.ts';
import type { ResponseReader } from './model-exchange.ts';

export interface RequestEnd {
  readonly end: ModelEnd;
  /** Why it failed, if nothing of a response has arrived: the request may be sent again. */
  readonly failure: Failure | null;
}

/**
 * Returns the failure of a response that ended without an error before it was whole. A body can end like this: only its reader knows what it
 * contained. `response`: how the message names it.
 */
export function endedEarly({ hasStarted }: Pick<ResponseReader, 'hasStarted'>, response = 'The response'): Failure {
  return hasStarted
    ? createFailure('model_cut_off', 'The response ended before it was complete.')
    : createFailure('model_malformed', `${response} contains nothing of a model's response.`);
}

/** Returns the end of a request whose response has not finished. `failed` null: it was stopped. */
export function endUnfinished(
  reader: Pick<ResponseReader, 'hasStarted' | 'wholeCalls' | 'usage'>,
  signal: AbortSignal,
  failed: Failure | null,
): RequestEnd {
  const usage = reader.usage();
  if (signal.aborted || failed === null)
    return { end: { kind: 'stopped', calls: reader.wholeCalls(), usage }, failure: null };
  const { code, message } = failed;
  return { end: { kind: 'failed', code, message, usage }, failure: reader.hasStarted ? null : failed };
}
