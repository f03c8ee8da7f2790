// Shrinks a failing run: fewer injections, then fewer choices that differ from the order in which things are due.

import { type BrokenLaw, judge } from '../laws/judge.ts';
import type { Choices } from '../world/scheduler.ts';
import type { Injection } from './injections.ts';
import { playRun, type RunPlan } from './play.ts';

/** A run by data alone: the text of `--replay`. */
export interface Replay {
  readonly scenario: string;
  readonly seed: number;
  readonly choices: Choices;
  readonly injections: readonly Injection[];
}

/** A violation, as the smallest run has it that was found. */
export interface FoundViolation extends BrokenLaw {
  readonly replay: Replay;
}

const maxRuns = 200;

/** Resolves with the smallest run that was found which breaks the same law. `plan` has its choices. */
export async function shrinkRun(
  plan: Omit<RunPlan, 'draws' | 'survey' | 'states'> & { readonly choices: Choices },
  { law, what }: BrokenLaw,
): Promise<FoundViolation> {
  let runs = 0;
  let smallest = what;
  const isRed = async (injections: readonly Injection[], choices: Choices): Promise<boolean> => {
    if (runs++ >= maxRuns) return false;
    const { evidence } = await playRun({ ...plan, injections, choices });
    const found = judge(evidence).find((violation) => violation.law === law);
    smallest = found?.what ?? smallest;
    return found !== undefined;
  };
  const asChoices = (list: readonly (readonly [string, number])[]): Choices => Object.fromEntries(list);
  let injections = plan.injections;
  for (const injection of plan.injections) {
    const fewer = injections.filter((other) => other !== injection);
    if (await isRed(fewer, plan.choices)) injections = fewer;
  }
  let kept = Object.entries(plan.choices);
  for (let size = kept.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < kept.length; ) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await isRed(injections, asChoices(fewer))) kept = fewer;
      else at += size;
    }
  const replay = { scenario: plan.scenario.name, seed: plan.seed, choices: asChoices(kept), injections };
  return { law, what: smallest, replay };
}
