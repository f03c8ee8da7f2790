// The result of one check of a model.
import { failureCodes } from '../../../../machines/codes.ts';
import { addUsage } from '../../../../machines/totals.ts';
import { noUsage, type Usage } from '../../../../machines/vocabulary.ts';
import type { ModelEnd } from '../../../core/contracts/provider.ts';

/** The names of the checks, in the order in which they run. */
export const checkNames = ['text', 'tool', 'parallel', 'image', 'reasoning', 'cancel'] as const;
export type ModelCheckName = (typeof checkNames)[number];

/** `partly`: the request was accepted, and the response had not all that Belay can use. */
export type CheckState = 'works' | 'partly' | 'fails' | 'not_tried';

export interface Finding {
  readonly state: CheckState;
  /** What happened, in a clause. */
  readonly detail: string;
  /** What to do; null: nothing. */
  readonly remedy: string | null;
}

export interface CheckResult extends Finding {
  readonly check: ModelCheckName;
  readonly ms: number;
  /** Requests that were sent for it, without retries. */
  readonly requests: number;
  readonly usage: Usage;
}

/** Returns the finding that a check works. */
export const works = (detail: string): Finding => ({ state: 'works', detail, remedy: null });
/** Returns the finding that a check does not fail, and does not work as it should. */
export const partly = (detail: string, remedy: string | null): Finding => ({ state: 'partly', detail, remedy });
/** Returns the finding that a check fails. */
export const failsWith = (detail: string, remedy: string | null): Finding => ({ state: 'fails', detail, remedy });

/** Returns the finding about a response that failed or was stopped. `rejected`: what to do if the endpoint rejected the request. */
export function failedFinding(end: Exclude<ModelEnd, { kind: 'completed' }>, rejected?: string): Finding {
  if (end.kind === 'stopped') return failsWith('It took too long, and was stopped.', slowRemedy);
  const [, remedy = ''] = /^.*?\. (.*)$/s.exec(failureCodes[end.code]) ?? [];
  return failsWith(end.message, end.code === 'model_rejected' && rejected !== undefined ? rejected : remedy || null);
}

const slowRemedy = 'Try again when the model is loaded, or choose a smaller one.';

/** Returns what all checks have used. */
export const usageOf = (results: readonly CheckResult[]): Usage =>
  results.map(({ usage }) => usage).reduce(addUsage, noUsage);
