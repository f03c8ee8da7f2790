// The sweep of all scenarios, in several processes. Its result does not depend on their number.
import { CellTotals, type CoverageReport, noCells } from '../coverage/cell-totals.ts';
import { VisitedPairs } from '../runs/injections.ts';
import type { Scenario } from '../world/scenario.ts';
import { openSweepers, type Sweeper } from './process-pool.ts';
import type { ScenarioReport, ScenarioResult, SweepSettings, SweepTask } from './scenario-sweep.ts';

/** Shares of the cells of a room, which are swept at the same time. It is no number of processes: the result does not depend on that. */
const roomShares = 2;

export interface SweepOptions {
  readonly scenarios: readonly Scenario[];
  readonly settings: SweepSettings;
  /** The number of processes. */
  readonly processes: number;
  /** The name of the bug that is planted in each of them; null: none is. */
  readonly plant: string | null;
  /** Called for each scenario, in their order. */
  onScenario(report: ScenarioReport): void;
}

export interface SweepReport {
  readonly scenarios: readonly ScenarioReport[];
  /** How often each pair of a phase with a source, with a kind of target, or with a kind of crash was visited. */
  readonly pairs: readonly (readonly [pair: string, visits: number])[];
  /** How many states all runs together went through (scripts/prove/runs/states.ts). */
  readonly states: number;
  readonly coverage: CoverageReport;
}

export async function sweepScenarios({
  scenarios,
  settings,
  processes,
  plant,
  onScenario,
}: SweepOptions): Promise<SweepReport> {
  const rooms = scenarios.filter(({ fillsCells }) => fillsCells);
  const others = scenarios.filter((one) => !rooms.includes(one));
  const atOnce = Math.max(others.length, rooms.length > 0 ? roomShares : 0);
  const sweepers = openSweepers({ settings, plant, count: Math.min(processes, atOnce) });
  const totals = new CellTotals(settings.kinds);
  const results: ScenarioResult[] = [];
  const reports: ScenarioReport[] = [];
  const publish = (report: ScenarioReport) => {
    reports.push(report);
    onScenario(report);
  };
  try {
    const tasks = others.map(({ name }) => ({ name, before: noCells, share: { index: 0, count: 1 } }));
    results.push(...(await sweepAll(tasks, { sweepers, onResult: ({ report }) => publish(report) })));
    for (const { cells } of results) totals.merge(cells);
    const roomsSwept = await sweepRooms(rooms, { settings, sweepers, totals });
    results.push(...roomsSwept.flat());
    for (const shares of roomsSwept) publish(joinReports(shares.map(({ report }) => report)));
  } finally {
    for (const sweeper of sweepers) sweeper.close();
  }
  const visited = new VisitedPairs();
  for (const { pairs } of results) visited.merge(pairs);
  return {
    scenarios: reports,
    pairs: visited.list(),
    states: new Set(results.flatMap(({ states }) => states)).size,
    coverage: totals.report(),
  };
}

interface RoomOptions extends Pick<SweepOptions, 'settings'> {
  readonly sweepers: readonly Sweeper[];
  /** What was visited before. Each room adds what it visits. */
  readonly totals: CellTotals;
}

/** Sweeps the scenarios that fill cells, one after the other: each leaves out the cells that earlier ones have visited. Resolves with the results of each. */
async function sweepRooms(
  rooms: readonly Scenario[],
  { settings, sweepers, totals }: RoomOptions,
): Promise<readonly (readonly ScenarioResult[])[]> {
  const sweepRoom = async ({ name }: Scenario, count: number): Promise<readonly ScenarioResult[]> => {
    const before = totals.visitedCells;
    const shares = Array.from({ length: count }, (_, index) => ({ name, before, share: { index, count } }));
    const swept = await sweepAll(shares, { sweepers, onResult: () => {} });
    for (const { cells } of swept) totals.merge(cells);
    return swept;
  };
  const results: ScenarioResult[][] = [];
  for (const room of rooms) results.push([...(await sweepRoom(room, roomShares))]);
  if (!settings.kinds.includes('cells')) return results;
  // a share knows nothing of the runs of the other one: what is left is searched for by all runs
  for (const [i, room] of rooms.entries())
    if (totals.missing.length > 0) results[i]?.push(...(await sweepRoom(room, 1)));
  return results;
}

/** Joins the reports of the results of one scenario. */
function joinReports([first, ...others]: readonly ScenarioReport[]): ScenarioReport {
  if (!first) throw new Error('A scenario has no result.');
  const joined = { ...first, violations: [...first.violations] };
  for (const { steps, runs, injections, crashes, violations, slowest } of others) {
    joined.steps = Math.max(joined.steps, steps);
    joined.runs += runs;
    joined.injections += injections;
    joined.crashes += crashes;
    joined.violations.push(...violations);
    if (slowest.ms > joined.slowest.ms) joined.slowest = slowest;
  }
  return joined;
}

interface TaskOptions {
  readonly sweepers: readonly Sweeper[];
  /** Called in the order of the tasks. */
  onResult(result: ScenarioResult): void;
}

/** Gives the next task to each sweeper that is free. Resolves with the results in the order of the tasks. */
async function sweepAll(
  tasks: readonly SweepTask[],
  { sweepers, onResult }: TaskOptions,
): Promise<readonly ScenarioResult[]> {
  const left = tasks.entries();
  const results: ScenarioResult[] = [];
  let published = 0;
  const sweepNext = async (sweeper: Sweeper): Promise<void> => {
    for (const [at, task] of left) {
      results[at] = await sweeper.sweep(task);
      for (let next = results[published]; next; next = results[++published]) onResult(next);
    }
  };
  await Promise.all(sweepers.map(sweepNext));
  return results;
}
