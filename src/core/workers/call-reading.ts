// The result of reading one call: its kind and needs, or the problem that keeps it from running.
import type { Call } from '../../../machines/contracts.ts';
import { errorText } from '../text/error-text.ts';
import type { RuntimeServices } from './services.ts';

export type CallReading = Pick<Call, 'kind' | 'needs'> &
  Partial<Pick<Call, 'problem' | 'agent' | 'timeoutMs' | 'repeats'>>;

/** A call that fails, or is denied, without having started. */
export function againstCall(
  code: NonNullable<Call['problem']>['code'],
  message: string,
  kind: 'failed' | 'denied' = 'failed',
): CallReading {
  return { kind: 'tool-call', needs: [], problem: { kind, code, message } };
}

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: CallReading };

/** Runs code of the embedder or of a tool: an exception is the failure of this call, and of no other. */
export function attempt<T>(name: string, { warn }: Pick<RuntimeServices, 'warn'>, run: () => T): Attempt<T> {
  try {
    return { ok: true, value: run() };
  } catch (error) {
    warn(`${name} could not be called.`, error);
    return { ok: false, problem: againstCall('tool_failed', `${name} could not be called: ${errorText(error)}`) };
  }
}
