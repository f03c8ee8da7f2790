// A process of the pool: sweeps each scenario that its parent process names in a message.
import { plantBug } from '../bugs/plant-bug.ts';
import type { SweepProcessOptions } from './process-pool.ts';
import type { SweepTask } from './scenario-sweep.ts';

const { plant, settings } = JSON.parse(process.argv[2] ?? '') as SweepProcessOptions; // as `openSweepers` writes them
if (plant !== null) plantBug(plant);
const loading = import('./scenario-sweep.ts'); // after the bug was planted

process.on('message', async (task: SweepTask) => {
  const { sweepScenario } = await loading;
  process.send?.(await sweepScenario(task, settings));
});
