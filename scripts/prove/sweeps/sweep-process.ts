// A process that sweeps scenarios for the one that has started it, which sends their names.
import { plantBug } from '../bugs/plant-bug.ts';
import type { SweepProcessOptions, SweepRequest } from './sweepers.ts';

const { plant, settings } = JSON.parse(process.argv[2] ?? '') as SweepProcessOptions; // as `openSweepers` writes them
if (plant !== null) plantBug(plant);
const loading = import('./scenario-sweep.ts'); // after the bug was planted

process.on('message', async ({ name, before }: SweepRequest) => {
  const { sweepScenario } = await loading;
  process.send?.(await sweepScenario(name, settings, before));
});
