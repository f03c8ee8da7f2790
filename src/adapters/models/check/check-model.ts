// Checks a model by a few small requests: what works with it, what does not, and what to do.
import type { ModelPrice } from '../../../core/contracts/price.ts';
import { addCost } from '../../../core/contracts/price.ts';
import { msSince } from '../../../core/sources/monotonic-time.ts';
import { checkImage, checkReasoning, checkText } from './answer-checks.ts';
import { checkCancel } from './cancel-check.ts';
import { type CheckResult, checkNames, type Finding, type ModelCheckName } from './check-result.ts';
import { checkParallel, checkTool } from './tool-checks.ts';
import { Trial, type TrialParts } from './trial.ts';

const checks: Readonly<Record<ModelCheckName, (trial: Trial) => Promise<Finding>>> = {
  text: checkText,
  tool: checkTool,
  parallel: checkParallel,
  image: checkImage,
  reasoning: checkReasoning,
  cancel: checkCancel,
};

/** What a model must be able to do: without these Belay is of no use. */
export const requiredChecks: readonly ModelCheckName[] = ['text', 'tool', 'cancel'];

export interface CheckModelParts extends TrialParts {
  readonly price?: ModelPrice | undefined;
  /** Called after each check. */
  onResult?(result: CheckResult): void;
}

/** Makes all checks, one after the other. If the model does not answer a plain text, the others are not tried. Never rejects. */
export async function checkModel({ price, onResult, ...parts }: CheckModelParts): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checkNames) {
    const trial = new Trial(parts);
    const startedAt = parts.clock.elapsed();
    const isHopeless = results[0]?.state === 'fails';
    const finding = isHopeless ? notTried : await checks[check](trial);
    const { requests, usage } = trial;
    const result = { check, ...finding, ms: msSince(parts.clock, startedAt), requests, usage: addCost(usage, price) };
    results.push(result);
    onResult?.(result);
  }
  return results;
}

const notTried: Finding = { state: 'not_tried', detail: 'Not tried: the model does not answer.', remedy: null };

/** Whether everything that Belay needs works. */
export const isUsable = (results: readonly CheckResult[]): boolean =>
  requiredChecks.every((name) => results.some(({ check, state }) => check === name && state === 'works'));
