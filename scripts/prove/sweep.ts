// The sweeps: each scenario once as it is, then once for each of its steps with one CANCEL there; then with crashes of the host; then with pairs of injections.
import { seededRandom } from '../../src/core/sources/virtual.ts';
import { CellSweep } from './cell-sweep.ts';
import { CellTotals, type CoverageReport } from './cell-totals.ts';
import { cellEvents } from './cells.ts';
import { cancelSources, type InjectedSource, isCancel, otherSources, VisitedPairs } from './injections.ts';
import { judge } from './laws/judge.ts';
import { type DrawPlan, type PossibleInjection, playRun, type Run, type RunPlan } from './play.ts';
import type { Scenario } from './scenario.ts';
import { type FoundViolation, type Replay, shrinkRun } from './shrink.ts';
import type { SweepKind } from './sweep-kinds.ts';

export interface SweepOptions {
  readonly scenarios: readonly Scenario[];
  readonly kinds: readonly SweepKind[];
  /**
   * Each has choices of its own, and times of its commits. Without `full` a scenario is swept under one of them, in turn, and under the others only where a
   * new pair is met.
   */
  readonly seeds: readonly number[];
  /** Each step with every source and every target, and every microtask up to a limit. */
  readonly full: boolean;
  /** Every so many steps one is swept, beside those at which a CANCEL can visit a new pair. */
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
  /** CANCELs. */
  readonly injections: number;
  /** Crashes of the host. */
  readonly crashes: number;
  readonly violations: readonly FoundViolation[];
  /** Runs with a pair of injections. */
  readonly paired: number;
  /** How many of these runs in a row, the last ones, have added no state. */
  readonly pairedWithoutNew: number;
  /** The slowest receipt and the longest that it might have taken, in virtual milliseconds. */
  readonly slowest: { readonly ms: number; readonly budgetMs: number };
}

export interface SweepReport {
  readonly scenarios: readonly ScenarioReport[];
  /** How often each pair of a phase with a source, with a kind of target, or with a kind of crash was visited. */
  readonly pairs: readonly (readonly [pair: string, visits: number])[];
  /** How many states all runs together went through (scripts/prove/states.ts). */
  readonly states: number;
  readonly coverage: CoverageReport;
}

/** Scenarios whose steps are swept between their microtasks, too. */
const withMicrotasks = ['plain answer', 'parallel tools', 'approval', 'nested agents', 'shield of a call'];
/** Two for each round of the microtask queue: more than a step mostly takes. */
const maxMicrotasks = 32;
/** The distance of two microtasks that are swept without `full`; each step begins with another one. */
const microtaskStride = 8;
/** The distance of the crashes without `full`, beside those that visit a new pair: it is multiplied by that of the steps. */
const crashStride = 6;
/** The longest distance of a CANCEL from a crash, in steps: its decision takes fewer. */
const maxDistance = 16;
/** Runs with a pair of injections that each scenario has without `full`, divided by the distance of the steps. */
const quickPairs = 24;
/** The runs in a row without a new state that end the pairs of a scenario with `full`. */
const pairsWithoutNew = 2_000;
/** The first seed of a run with a pair: each has its own. */
const firstPairSeed = 1_000;

type Plan = Omit<RunPlan, 'scenario' | 'seed'>;

/** Loads what is loaded with the first use, so that later runs are all alike. */
export async function warmUp(scenarios: readonly Scenario[]): Promise<void> {
  for (const scenario of scenarios)
    await playRun({ scenario, seed: 0, injections: [{ step: 60, source: 'owner', target: 'session' }] });
}

export async function sweepScenarios(options: SweepOptions): Promise<SweepReport> {
  await warmUp(options.scenarios);
  const visited = new VisitedPairs();
  const states = new Set<string>();
  const reports: ScenarioReport[] = [];
  const totals = new CellTotals(options.kinds.includes('crashes') ? [] : ['crash']);
  // those that fill cells come last: what the others have visited is not played again
  const scenarios = options.scenarios.toSorted((a, b) => Number(a.fillsCells ?? false) - Number(b.fillsCells ?? false));
  for (const [at, scenario] of scenarios.entries()) {
    const report = await new ScenarioSweep(scenario, options, { visited, states, totals, at }).run();
    options.onScenario(report);
    reports.push(report);
  }
  return { scenarios: reports, pairs: visited.list(), states: states.size, coverage: totals.report() };
}

/** What all scenarios have visited together. */
interface Visited {
  readonly visited: VisitedPairs;
  readonly states: Set<string>;
  readonly totals: CellTotals;
  /** The number of the scenario. */
  readonly at: number;
}

class ScenarioSweep {
  readonly #scenario: Scenario;
  readonly #options: SweepOptions;
  readonly #visited: VisitedPairs;
  readonly #states: Set<string>;
  readonly #totals: CellTotals;
  readonly #mainSeed: number | undefined;
  readonly #violations: FoundViolation[] = [];
  #runs = 0;
  #injections = 0;
  #crashes = 0;
  #paired = 0;
  #pairedWithoutNew = 0;
  #slowest = { ms: 0, budgetMs: 0 };

  constructor(scenario: Scenario, options: SweepOptions, { visited, states, totals, at }: Visited) {
    this.#scenario = scenario;
    this.#options = options;
    this.#visited = visited;
    this.#states = states;
    this.#totals = totals;
    this.#mainSeed = options.seeds[at % options.seeds.length];
  }

  async run(): Promise<ScenarioReport> {
    const { seeds, kinds, full } = this.#options;
    const { fillsCells = false } = this.#scenario;
    let steps = 0;
    for (const seed of seeds) steps += await this.#sweep(seed);
    if (kinds.includes('pairs') && (full || !fillsCells)) await this.#playPairs(steps / seeds.length);
    if (kinds.includes('cells') && fillsCells) await this.#fillCells();
    return {
      name: this.#scenario.name,
      steps,
      runs: this.#runs,
      injections: this.#injections,
      crashes: this.#crashes,
      paired: this.#paired,
      pairedWithoutNew: this.#pairedWithoutNew,
      violations: this.#violations,
      slowest: this.#slowest,
    };
  }

  /** Sweeps the scenario under one seed. Resolves with its steps. */
  async #sweep(seed: number): Promise<number> {
    const { full, kinds } = this.#options;
    const { fillsCells = false } = this.#scenario;
    const isMain = full || (!fillsCells && seed === this.#mainSeed);
    const survey: InjectedSource[] = [...cancelSources, 'crash'];
    const base = await this.#play({ seed, injections: [], survey });
    const again = await this.#play({ seed, injections: [] });
    if (again.digest !== base.digest) this.#violations.push(differing(this.#scenario, seed));
    if (fillsCells && !full) return base.steps;
    if (kinds.includes('cancels'))
      await this.#playAll(full ? this.#allCancelsIn(base, seed) : this.#cancelsIn(base, seed, isMain), seed);
    if (kinds.includes('crashes') && isMain) await this.#playAll(this.#crashesIn(base, seed), seed);
    return base.steps;
  }

  /** Plays until each cell is visited. */
  async #fillCells(): Promise<void> {
    const { seeds, kinds } = this.#options;
    const events = cellEvents.filter((event) => event !== 'crash' || kinds.includes('crashes'));
    await new CellSweep({ seeds, totals: this.#totals, events, play: (plan) => this.#play(plan) }).run();
  }

  /** Returns every so many steps, beside those at which a CANCEL can visit a new pair. */
  *#stepsIn({ steps, possible }: Run, every: number): Generator<number> {
    const cancels = Map.groupBy(
      possible.filter(({ injection }) => isCancel(injection)),
      ({ injection }) => injection.step,
    );
    const isNewAt = (step: number) => cancels.get(step)?.some(({ pairs }) => this.#visited.countNew(pairs) > 0);
    for (let step = 0; step < steps; step++) if (step % every === 0 || isNewAt(step)) yield step;
  }

  /** Plays runs with a CANCEL and something else, both at any step and in any order. */
  async #playPairs(steps: number): Promise<void> {
    const { full, every, seeds, maxFound } = this.#options;
    const first = firstPairSeed * (1 + (seeds[0] ?? 0));
    const random = seededRandom(first);
    const isEnough = () => (full ? this.#pairedWithoutNew >= pairsWithoutNew : this.#paired >= quickPairs / every);
    while (!isEnough() && this.#violations.length < maxFound) {
      const source = otherSources[this.#paired % otherSources.length] ?? 'crash';
      const before = this.#states.size;
      const anyStep = () => Math.floor(random() * steps);
      const other = { step: anyStep(), sources: [source], visited: this.#visited };
      await this.#play({ seed: first + this.#paired, injections: [], draws: [this.#cancelAt(anyStep()), other] });
      this.#paired++;
      this.#pairedWithoutNew = this.#states.size > before ? 0 : this.#pairedWithoutNew + 1;
    }
  }

  async #playAll(plans: Iterable<Plan>, seed: number): Promise<void> {
    for (const plan of plans) {
      if (this.#violations.length >= this.#options.maxFound) return;
      await this.#play({ ...plan, seed });
    }
  }

  *#allCancelsIn({ steps, possible }: Run, seed: number): Generator<Plan> {
    for (const { injection } of possible) if (isCancel(injection)) yield { injections: [injection] };
    for (let step = 0; step < steps; step += this.#options.every) yield* this.#betweenMicrotasks(step, seed, 1);
  }

  /** The main seed of a scenario has more than its new pairs. */
  *#cancelsIn(base: Run, seed: number, isMain: boolean): Generator<Plan> {
    for (const step of this.#stepsIn(base, isMain ? this.#options.every : Number.POSITIVE_INFINITY)) {
      yield { injections: [], draws: [this.#cancelAt(step)] };
      if (isMain) yield* this.#betweenMicrotasks(step, seed, microtaskStride);
    }
  }

  *#betweenMicrotasks(step: number, seed: number, stride: number): Generator<Plan> {
    if (!withMicrotasks.includes(this.#scenario.name)) return;
    for (let microtask = (step + seed) % stride; microtask < maxMicrotasks; microtask += stride)
      yield { injections: [], draws: [{ ...this.#cancelAt(step), microtask }] };
  }

  /** Crashes: alone, after a CANCEL, before a CANCEL, and a second time. With `full` each of them for each kind of a crash at each step, else a part. */
  *#crashesIn({ possible }: Run, seed: number): Generator<Plan> {
    const { full, every } = this.#options;
    const random = seededRandom(seed);
    const distance = () => 1 + Math.floor(random() * maxDistance);
    const crashes = possible.filter(({ injection }) => injection.source === 'crash');
    for (const [i, crash] of this.#chosenOf(crashes, full ? every : every * crashStride)) {
      const { injection } = crash;
      const { step } = injection;
      const before = (): Plan => ({ injections: [injection], draws: [this.#cancelAt(Math.max(0, step - distance()))] });
      const after = (): Plan => ({ injections: [injection], draws: [this.#cancelAt(step + distance())] });
      const both = (): Plan => ({
        injections: [injection],
        draws: [this.#cancelAt(Math.max(0, step - distance())), this.#cancelAt(step + distance())],
      });
      const twice = (): Plan => ({
        injections: [injection],
        draws: [{ step: step + distance(), sources: ['crash'], visited: this.#visited }],
      });
      const within = (): Plan => ({ injections: [{ ...injection, microtask: Math.floor(random() * maxMicrotasks) }] });
      const alone = (): Plan => ({ injections: [injection] });
      const variants = [before, alone, before, after, before, within, both, twice]; // most laws are about a CANCEL that was accepted
      for (const [at, variant] of variants.entries()) if (full || at === i % variants.length) yield variant();
    }
  }

  /** Chooses those that visit a new pair, and of the others those at every so many steps. */
  *#chosenOf(crashes: readonly PossibleInjection[], stride: number): Generator<readonly [number, PossibleInjection]> {
    let chosen = 0;
    for (const [i, crash] of crashes.entries()) {
      const isNew = this.#visited.countNew(crash.pairs) > 0;
      if (!isNew && i % stride !== 0) continue;
      this.#visited.visit(crash.pairs);
      yield [chosen++, crash];
    }
  }

  #cancelAt(step: number): DrawPlan {
    return { step, sources: cancelSources, visited: this.#visited };
  }

  async #play(plan: Omit<RunPlan, 'scenario'>): Promise<Run> {
    const run = await playRun({ ...plan, scenario: this.#scenario, states: this.#states });
    this.#runs++;
    this.#injections += run.injections.filter(isCancel).length;
    this.#crashes += run.evidence.crashes.length;
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
    const law = 'a cell that is declared impossible is not visited';
    const [what] = this.#totals.add(run.coverage, run.evidence.log);
    if (what !== undefined && !seen.has(law))
      this.#violations.push({ law, what, replay: this.#replayOf(run, plan.seed) });
    return run;
  }

  #replayOf({ choices, injections }: Run, seed: number): Replay {
    return { scenario: this.#scenario.name, seed, choices, injections };
  }
}

/** The violation of a scenario that two runs of one seed play in different ways. */
const differing = ({ name: scenario }: Scenario, seed: number): FoundViolation => ({
  law: 'a run replays from its scenario and seed',
  what: 'two runs of one seed differ',
  replay: { scenario, seed, choices: {}, injections: [] },
});
