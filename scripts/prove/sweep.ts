// The sweep of cancels: plays each scenario once as it is, then once for each of its steps with one CANCEL there.
import { VisitedPairs } from './injections.ts';
import { judge } from './laws/judge.ts';
import { playRun, type Run, type RunPlan } from './play.ts';
import type { Scenario } from './scenario.ts';
import { type FoundViolation, shrinkRun } from './shrink.ts';

export interface SweepOptions {
  readonly scenarios: readonly Scenario[];
  /**
   * Each has choices of its own, and times of its commits. Without `full` a scenario is swept at every step under one of them, in turn, and under the others
   * where a new pair is met; the scenarios with microtasks are swept under each.
   */
  readonly seeds: readonly number[];
  /** Each step with every source and every target, and every microtask up to a limit. */
  readonly full: boolean;
  /** Every so many steps one is swept. */
  readonly every: number;
  /** Laws that a scenario may break before the next one is swept: what else it breaks is of the same kind, mostly. */
  readonly maxFound: number;
  onScenario(report: ScenarioReport): void;
}

export interface ScenarioReport {
  readonly name: string;
  /** The steps of the runs without injections. */
  readonly steps: number;
  readonly runs: number;
  readonly injections: number;
  readonly violations: readonly FoundViolation[];
  /** The slowest receipt and the longest that it might have taken, in virtual milliseconds. */
  readonly slowest: { readonly ms: number; readonly budgetMs: number };
}

export interface SweepReport {
  readonly scenarios: readonly ScenarioReport[];
  /** How often each pair of a phase with a source, or with a kind of target, was visited. */
  readonly pairs: readonly (readonly [pair: string, visits: number])[];
}

/** Scenarios whose steps are swept between their microtasks, too. */
const withMicrotasks = ['plain answer', 'parallel tools', 'approval', 'nested agents', 'shield of a call'];
/** Two for each round of the microtask queue: more than a step mostly takes. */
const maxMicrotasks = 32;
/** The distance of two microtasks that are swept without `full`; each step begins with another one. */
const microtaskStride = 8;

/** Loads what is loaded with the first use, so that later runs are all alike. */
export async function warmUp(scenarios: readonly Scenario[]): Promise<void> {
  for (const scenario of scenarios)
    await playRun({ scenario, seed: 0, injections: [{ step: 60, source: 'owner', target: 'session' }] });
}

export async function sweepCancels(options: SweepOptions): Promise<SweepReport> {
  await warmUp(options.scenarios);
  const visited = new VisitedPairs();
  const reports: ScenarioReport[] = [];
  for (const scenario of options.scenarios) {
    const report = await new ScenarioSweep(scenario, options, visited).run();
    options.onScenario(report);
    reports.push(report);
  }
  return { scenarios: reports, pairs: visited.list() };
}

class ScenarioSweep {
  readonly #scenario: Scenario;
  readonly #options: SweepOptions;
  readonly #visited: VisitedPairs;
  readonly #violations: FoundViolation[] = [];
  #runs = 0;
  #injections = 0;
  #slowest = { ms: 0, budgetMs: 0 };

  constructor(scenario: Scenario, options: SweepOptions, visited: VisitedPairs) {
    this.#scenario = scenario;
    this.#options = options;
    this.#visited = visited;
  }

  async run(): Promise<ScenarioReport> {
    let steps = 0;
    for (const seed of this.#options.seeds) steps += await this.#sweep(seed);
    return {
      name: this.#scenario.name,
      steps,
      runs: this.#runs,
      injections: this.#injections,
      violations: this.#violations,
      slowest: this.#slowest,
    };
  }

  /** Sweeps the scenario under one seed. Resolves with its steps. */
  async #sweep(seed: number): Promise<number> {
    const base = await this.#play({ seed, injections: [], survey: this.#options.full });
    const again = await this.#play({ seed, injections: [] });
    if (again.digest !== base.digest) this.#violations.push(differing(this.#scenario, seed));
    for (const plan of this.#plansFor(base, seed)) {
      if (this.#violations.length >= this.#options.maxFound) break;
      await this.#play({ ...plan, seed });
    }
    return base.steps;
  }

  *#plansFor({ steps, possible }: Run, seed: number): Generator<Omit<RunPlan, 'scenario' | 'seed'>> {
    const { full, every } = this.#options;
    const hasMicrotasks = withMicrotasks.includes(this.#scenario.name);
    for (const injection of possible) yield { injections: [injection] };
    for (let step = 0; step < steps; step += every) {
      if (!full) yield { injections: [], draw: { step, visited: this.#visited } };
      if (!hasMicrotasks) continue;
      const stride = full ? 1 : microtaskStride;
      for (let microtask = (step + seed) % stride; microtask < maxMicrotasks; microtask += stride)
        yield { injections: [], draw: { step, microtask, visited: this.#visited } };
    }
  }

  async #play(plan: Omit<RunPlan, 'scenario'>): Promise<Run> {
    const run = await playRun({ ...plan, scenario: this.#scenario });
    this.#runs++;
    this.#injections += run.injections.length;
    const { budgetMs, shieldMs } = run.evidence;
    if (run.slowestMs >= this.#slowest.ms) this.#slowest = { ms: run.slowestMs, budgetMs: budgetMs + shieldMs };
    const seen = new Set(this.#violations.map(({ law }) => law));
    for (const violation of judge(run.evidence)) {
      if (seen.has(violation.law)) continue;
      seen.add(violation.law);
      const { choices, injections } = run;
      const failing = { scenario: this.#scenario, seed: plan.seed, choices, injections };
      this.#violations.push(await shrinkRun(failing, violation));
    }
    return run;
  }
}

/** The violation of a scenario that two runs of one seed play in different ways. */
const differing = ({ name: scenario }: Scenario, seed: number): FoundViolation => ({
  law: 'a run replays from its scenario and seed',
  what: 'two runs of one seed differ',
  replay: { scenario, seed, choices: {}, injections: [] },
});
