// The end of one request to an endpoint, with what decides whether it is sent again.
import type { Failure } from './classify-failure.ts';
import type { ModelEnd } from './provider.ts';

export interface RequestEnd {
  readonly end: ModelEnd;
  /** Why it failed, if nothing of a response has arrived: the request may be sent again. */
  readonly failure: Failure | null;
}
