// Writes src/page/inspector-view/statechart/drawings/*.json: each machine as the page draws it (npm run draw).
import { mkdirSync, writeFileSync } from 'node:fs';
import type { ChartDrawing } from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import { allMachines } from '../all-machines.ts';
import { drawMachine } from './draw-machine.ts';

const folder = new URL('../../src/page/inspector-view/statechart/drawings/', import.meta.url);

/** Returns the drawing of each machine, by the name of its file. */
export const drawings = (): ReadonlyMap<string, ChartDrawing> =>
  new Map(allMachines.map((described) => [`${described.machine.id}.json`, drawMachine(described)]));

/** Writes all drawings; `npm run draw` formats them. */
export function writeDrawings(): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, drawing] of drawings()) writeFileSync(new URL(name, folder), JSON.stringify(drawing));
}
