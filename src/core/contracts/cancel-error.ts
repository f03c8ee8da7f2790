// The reason of the abort signals of a stop: one error for all nodes that were cut for the same cause.
import type { Cause } from '../../../machines/vocabulary.ts';

/** Has the fields of the cause, and the name of the platform's own aborts. */
export class CancelError extends Error implements Cause {
  readonly source: Cause['source'];
  readonly by: Cause['by'];
  readonly reason: Cause['reason'];
  readonly target: Cause['target'];

  constructor({ source, by, reason, target }: Cause) {
    super(reason ?? `The call was stopped: ${source}.`);
    this.source = source;
    this.by = by;
    this.reason = reason;
    this.target = target;
  }

  override get name(): string {
    return 'AbortError';
  }
}

const errors = new WeakMap<Cause, CancelError>();

/** Returns the error of a cause: always the same one. */
export function cancelErrorOf(cause: Cause): CancelError {
  const error = errors.get(cause) ?? new CancelError(cause);
  errors.set(cause, error);
  return error;
}
