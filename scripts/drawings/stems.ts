// Finds where the transitions for the lanes leave their states: each exit has a stem, and turns at the end of it.
import type { Box } from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import type { ChartGrid } from './place-states.ts';
import { type Exit, isAlone, type RoutePlan, trackOffset, tracksOf } from './plan-routes.ts';

export type Point = readonly [x: number, y: number];

/** A chart whose states have their places. */
export interface Drawn {
  readonly grid: ChartGrid;
  readonly plan: RoutePlan;
  readonly boxes: ReadonlyMap<string, Box>;
}

const stemGap = 11;

/** Returns the middle of a box's width. */
export const middleOf = ({ x, width }: Box): number => x + width / 2;

/** Returns the place of a state; every path of a graph has one. */
export function boxAt(boxes: ReadonlyMap<string, Box>, path: string): Box {
  const box = boxes.get(path);
  if (!box) throw new Error(`${path} has no place.`);
  return box;
}

/** Returns where an exit leaves its state, and where it turns to its lanes. */
export function stemOf(exit: Exit, { grid, plan, boxes }: Drawn): readonly [Point, Point] {
  const box = boxAt(boxes, exit.from);
  const rivals = plan.exits.filter(({ from, side }) => from === exit.from && side === exit.side);
  if (isAlone(exit.from, grid)) {
    const y = box.y + (box.height * (rivals.indexOf(exit) + 1)) / (rivals.length + 1);
    const x = exit.side === 'left' ? box.x : box.x + box.width;
    return [
      [x, y],
      [x, y],
    ];
  }
  const row = grid.rowOf(exit.from);
  const phase = boxAt(boxes, grid.phases[row]?.path ?? '');
  const y = phase.y + phase.height + trackOffset(tracksOf(plan, grid, row, exit.side).indexOf(exit));
  const goesOn = plan.routes.some(({ kind, transition: { from } }) => kind === 'straight' && from === exit.from);
  const place = rivals.indexOf(exit) + (goesOn ? 1 : 0);
  const isPhase = grid.columnOf(exit.from) === null;
  const middle = isPhase ? box.x + 40 : middleOf(box);
  const x = middle + (exit.side === 'left' ? -1 : 1) * place * stemGap;
  return [
    [x, box.y + box.height],
    [x, y],
  ];
}
