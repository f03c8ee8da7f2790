// The sweep of one scenario: once as it is, then once for each of its steps with one CANCEL there; then with crashes of the host; then with pairs of injections.
// What it plays depends on the scenario and the options alone, so that scenarios can be swept in any order and in any process.
import { seededRandom } from '../../../src/core/sources/virtual.ts';
import { CellTotals, type VisitedCells } from '../coverage/cell-totals.ts';
import { cellEvents } from '../coverage/cells.ts';
import { judge } from '../laws/judge.ts';
import { cancelSources, type InjectedSource, isCancel, otherSources, VisitedPairs } from '../runs/injections.ts';
import { type DrawPlan, playRun, type Run, type RunPlan } from '../runs/play.ts';
import { type FoundViolation, type Replay, shrinkRun } from '../runs/shrink.ts';
import { scenarios } from '../scenarios/index.ts';
import type { SweepKind } from '../sweep-kinds.ts';
import type { Scenario } from '../world/scenario.ts';
import { CellSweep, type Share } from './cell-sweep.ts';

/** How scenarios are swept, as data. */
export interface SweepSettings {
  readonly kinds: readonly SweepKind[];
  /** Each has choices of its own, and times of its commits. Without `full` a scenario is swept under one of them, in turn. */
  readonly seeds: readonly number[];
  /** Each step with every source and every target, and every microtask up to a limit, under each seed. */
  readonly full: boolean;
  /** The distance of the steps that are swept: 1 sweeps each step, 5 every fifth one. */
  readonly every: number;
  /** Laws that a scenario may break before its sweep ends: what else it breaks is of the same kind, mostly. */
  readonly maxFound: number;
}

/** What is swept at a time: a scenario, or a share of one. */
export interface SweepTask {
  readonly name: string;
  /** The cells that other scenarios have visited; they are not visited again. */
  readonly before: VisitedCells;
  readonly share: Share;
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

/** What the sweep of a scenario has found, as data. */
export interface ScenarioResult {
  readonly report: ScenarioReport;
  /** How often each pair of a phase with a source, with a kind of target, or with a kind of crash was visited. */
  readonly pairs: readonly (readonly [pair: string, visits: number])[];
  /** The states that the runs went through (scripts/prove/runs/states.ts). */
  readonly states: readonly string[];
  readonly cells: VisitedCells;
}

/** Scenarios whose steps are swept between their microtasks, too. */
const withMicrotasks = ['plain response', 'parallel tools', 'approval', 'nested agents', 'shield of a call'];
/** Two for each round of the microtask queue: more than a step mostly takes. */
const maxMicrotasks = 32;
/** The distance of two microtasks that are swept without `full`; each step begins with another one. */
const microtaskStride = 8;
/** The distance of the swept steps that have a crash, where not all have one. */
const crashStride = 3;
/** The longest distance of a CANCEL from a crash, in steps: its decision takes fewer. */
const maxDistance = 16;
/** Runs with a pair of injections that each scenario has without `full`, divided by the distance of the steps. */
const quickPairs = 24;
/** The runs in a row without a new state that end the pairs of a scenario with `full`. */
const pairsWithoutNew = 2_000;
/** The first seed of a run with a pair: each has its own. */
const firstPairSeed = 1_000;

type Plan = Omit<RunPlan, 'scenario' | 'seed'>;
/** A crash, given or drawn. */
type CrashPlan = Pick<Plan, 'injections'> & { readonly draws: readonly DrawPlan[] };

/** Returns the plan with all its injections in this microtask after their steps. */
const inMicrotask = ({ injections, draws }: CrashPlan, microtask: number): Plan => ({
  injections: injections.map((one) => ({ ...one, microtask })),
  draws: draws.map((one) => ({ ...one, microtask })),
});

/** Plays a scenario once, so that modules that load with their first use do not make the first run differ from later ones. */
export async function warmUp(scenario: Scenario): Promise<void> {
  await playRun({ scenario, seed: 0, injections: [{ step: 60, source: 'owner', target: 'session' }] });
}

export async function sweepScenario(
  { name, before, share }: SweepTask,
  settings: SweepSettings,
): Promise<ScenarioResult> {
  const at = scenarios.findIndex((one) => one.name === name);
  const scenario = scenarios[at];
  if (!scenario) throw new Error(`No scenario has the name ${name}.`);
  await warmUp(scenario);
  return new ScenarioSweep(scenario, settings, { before, at, share }).run();
}

class ScenarioSweep {
  readonly #scenario: Scenario;
  readonly #settings: SweepSettings;
  readonly #visited = new VisitedPairs();
  readonly #states = new Set<string>();
  readonly #totals: CellTotals;
  /** The index of the scenario in the list of all. */
  readonly #at: number;
  readonly #share: Share;
  readonly #violations: FoundViolation[] = [];
  #runs = 0;
  #injections = 0;
  #crashes = 0;
  #paired = 0;
  #pairedWithoutNew = 0;
  #slowest = { ms: 0, budgetMs: 0 };

  constructor(
    scenario: Scenario,
    settings: SweepSettings,
    { before, at, share }: { readonly before: VisitedCells; readonly at: number; readonly share: Share },
  ) {
    this.#scenario = scenario;
    this.#settings = settings;
    this.#totals = new CellTotals(settings.kinds);
    this.#totals.merge(before);
    this.#at = at;
    this.#share = share;
  }

  async run(): Promise<ScenarioResult> {
    const { seeds, kinds, full } = this.#settings;
    const { fillsCells = false } = this.#scenario;
    let steps = 0;
    const isFirst = this.#share.index === 0; // only its cells are shared out
    if (isFirst) for (const seed of seeds) steps += await this.#sweep(seed);
    if (isFirst && kinds.includes('pairs') && (full || !fillsCells)) await this.#playPairs(steps / seeds.length);
    if (kinds.includes('cells') && fillsCells) await this.#fillCells();
    const report: ScenarioReport = {
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
    return { report, pairs: this.#visited.list(), states: [...this.#states], cells: this.#totals.visitedCells };
  }

  /** Sweeps the scenario under one seed. Resolves with its steps. */
  async #sweep(seed: number): Promise<number> {
    const { full, kinds, seeds } = this.#settings;
    const { fillsCells = false } = this.#scenario;
    const isMain = full || (!fillsCells && seed === seeds[this.#at % seeds.length]);
    const survey: InjectedSource[] = full ? [...cancelSources, 'crash'] : [];
    const base = await this.#play({ seed, injections: [], survey });
    const again = await this.#play({ seed, injections: [] });
    if (again.digest !== base.digest) this.#violations.push(differing(this.#scenario, seed));
    if (!isMain) return base.steps;
    if (kinds.includes('cancels'))
      await this.#playAll(full ? this.#allCancelsIn(base, seed) : this.#cancelsIn(base, seed), seed);
    if (kinds.includes('crashes')) await this.#playAll(this.#crashesIn(base, seed), seed);
    return base.steps;
  }

  /** Plays until each cell is visited. */
  async #fillCells(): Promise<void> {
    const { seeds, kinds } = this.#settings;
    const events = cellEvents.filter((event) => event !== 'crash' || kinds.includes('crashes'));
    const play = (plan: Omit<RunPlan, 'scenario'>) => this.#play(plan);
    await new CellSweep({ seeds, totals: this.#totals, events, share: this.#share, play }).run();
  }

  /** Plays runs with a CANCEL and something else, both at any step and in any order. */
  async #playPairs(steps: number): Promise<void> {
    const { full, every, seeds, maxFound } = this.#settings;
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
      if (this.#violations.length >= this.#settings.maxFound) return;
      await this.#play({ ...plan, seed });
    }
  }

  *#allCancelsIn({ steps, possible }: Run, seed: number): Generator<Plan> {
    for (const { injection } of possible) if (isCancel(injection)) yield { injections: [injection] };
    for (let step = 0; step < steps; step += this.#settings.every) yield* this.#betweenMicrotasks(step, seed, 1);
  }

  /** Yields every so many steps. With a distance above 1 each scenario begins at another step. */
  *#stepsOf({ firstStep, steps }: Run, every: number): Generator<number> {
    const offset = this.#at % Math.min(every, steps - firstStep);
    for (let step = firstStep + offset; step < steps; step += every) yield step;
  }

  *#cancelsIn(base: Run, seed: number): Generator<Plan> {
    for (const step of this.#stepsOf(base, this.#settings.every)) {
      yield { injections: [], draws: [this.#cancelAt(step)] };
      yield* this.#betweenMicrotasks(step, seed, microtaskStride);
    }
  }

  *#betweenMicrotasks(step: number, seed: number, stride: number): Generator<Plan> {
    if (!withMicrotasks.includes(this.#scenario.name)) return;
    for (let microtask = (step + seed) % stride; microtask < maxMicrotasks; microtask += stride)
      yield { injections: [], draws: [{ ...this.#cancelAt(step), microtask }] };
  }

  /** Crashes: alone, after a CANCEL, before a CANCEL, and a second time. With `full` each of them for each kind of a crash at each step, else a part. */
  *#crashesIn(base: Run, seed: number): Generator<Plan> {
    const { full, every } = this.#settings;
    const random = seededRandom(seed);
    const distance = () => 1 + Math.floor(random() * maxDistance);
    const crashAt = (step: number): DrawPlan => ({ step, sources: ['crash'], visited: this.#visited });
    const variantsOf = (step: number, plan: CrashPlan): readonly (() => Plan)[] => {
      const withDraws = (...draws: readonly DrawPlan[]): Plan => ({ ...plan, draws: [...plan.draws, ...draws] });
      const earlier = () => this.#cancelAt(Math.max(0, step - distance()));
      const later = () => this.#cancelAt(step + distance());
      const before = () => withDraws(earlier());
      const alone = () => plan;
      const after = () => withDraws(later());
      const both = () => withDraws(earlier(), later());
      const twice = () => withDraws(crashAt(step + distance()));
      const within = () => inMicrotask(plan, Math.floor(random() * maxMicrotasks));
      return [before, alone, before, after, before, within, both, twice]; // most laws are about a CANCEL that was accepted
    };
    if (full) {
      for (const { injection } of base.possible) {
        const { source, step } = injection;
        if (source !== 'crash' || step % every !== 0) continue;
        for (const variant of variantsOf(step, { injections: [injection], draws: [] })) yield variant();
      }
      return;
    }
    for (const [i, step] of [...this.#stepsOf(base, every * crashStride)].entries()) {
      const variants = variantsOf(step, { injections: [], draws: [crashAt(step)] });
      const variant = variants[i % variants.length];
      if (variant) yield variant();
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
