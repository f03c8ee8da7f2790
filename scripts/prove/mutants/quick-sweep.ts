// A sweep of some steps of every scenario that ends with the first broken law: exit code 1. It says nothing more: a mutant is seen, or it is not.

import { judge } from '../laws/judge.ts';
import { cancelSources, VisitedPairs } from '../runs/injections.ts';
import { playRun } from '../runs/play.ts';
import { scenarios } from '../scenarios/index.ts';
import { warmUp } from '../sweeps/scenario-sweep.ts';

const seed = 1;
/** Every so many steps one has a CANCEL. */
const every = 8;
/** The time of the processor that it takes at most: it ends before it is ended, on a busy machine too. */
const maxCpuMicros = 40_000_000;

function isTimeOver(): boolean {
  const { user, system } = process.cpuUsage();
  return user + system > maxCpuMicros;
}

async function findViolation(): Promise<string | null> {
  const visited = new VisitedPairs();
  if (scenarios[0]) await warmUp(scenarios[0]);
  for (const [i, scenario] of scenarios.entries()) {
    const { evidence, steps } = await playRun({ scenario, seed, injections: [] });
    const [broken] = judge(evidence);
    if (broken) return `${scenario.name}: ${broken.law}`;
    for (let step = i % every; step < steps; step += every) {
      if (isTimeOver()) return null;
      const run = await playRun({ scenario, seed, injections: [], draws: [{ step, sources: cancelSources, visited }] });
      const [found] = judge(run.evidence);
      if (found) return `${scenario.name}: ${found.law}`;
    }
  }
  return null;
}

const found = await findViolation();
if (found !== null) console.log(found);
process.exitCode = found === null ? 0 : 1;
