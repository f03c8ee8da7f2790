// Places the label of each line where it covers no other label, no state and no line.
import type { Box } from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import type { Line } from './draw-lines.ts';
import { labelSize } from './place-states.ts';
import type { Point } from './stems.ts';

/** Between a label and its line. */
const distance = 4;

/** Returns the places at a piece of a line, the best first. */
function candidatesAt(
  [[x1, y1], [x2, y2]]: readonly [Point, Point],
  size: { readonly width: number; readonly height: number },
): Box[] {
  if (x1 === x2) {
    const [top, bottom] = [Math.min(y1, y2) + 2, Math.max(y1, y2) - 4];
    const at = (part: number) => top + part * (bottom - top - size.height);
    const right = [0.5, 0, 1].map((part) => ({ x: x1 + distance + 1, y: at(part), ...size }));
    const left = [1, 0, 0.5].map((part) => ({ x: x1 - distance - 1 - size.width, y: at(part), ...size }));
    return [...right, ...left];
  }
  const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
  const near = x2 > x1 ? left + distance : right - distance - size.width;
  const middle = (left + right - size.width) / 2;
  const isShort = right - left < size.width + 40;
  return (isShort ? [middle] : [near, middle]).flatMap((x) => [
    { x, y: y1 - size.height - 2, ...size },
    { x, y: y1 + 2, ...size },
  ]);
}

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

/** The pieces of a line as thin boxes. */
const piecesOf = ({ points }: Line): Box[] =>
  points.slice(1).map(([x, y], i) => {
    const [px, py] = points[i] ?? [x, y];
    return {
      x: Math.min(x, px) - 1,
      y: Math.min(y, py) - 1,
      width: Math.abs(x - px) + 2,
      height: Math.abs(y - py) + 2,
    };
  });

/** The upper and the lower side of a phase as thin boxes. */
const sidesOf = ({ height, ...box }: Box): Box[] => [
  { ...box, y: box.y - 1, height: 2 },
  { ...box, y: box.y + height - 1, height: 2 },
];

/** Returns the label's place of each line that has one. The label with the least choice chooses first. */
export function placeLabels(
  lines: readonly Line[],
  states: readonly Box[],
  phases: readonly Box[],
): ReadonlyMap<Line, Box> {
  const placed = new Map<Line, Box>();
  const pieces = [...lines.flatMap(piecesOf), ...phases.flatMap(sidesOf)];
  const total = (box: Box, others: readonly Box[]) => others.reduce((sum, other) => sum + overlap(box, other), 0);
  const fixedCost = (box: Box): number => 10 * total(box, states) + 4 * total(box, pieces);
  const open = lines.flatMap((line) => {
    const { labels } = line.transition;
    if (!line.labeled || labels.length === 0) return [];
    const candidates = candidatesAt(line.labeled, labelSize(labels)).map((box) => ({ box, cost: fixedCost(box) }));
    return [{ line, candidates, free: candidates.filter(({ cost }) => cost === 0).length }];
  });
  for (const { line, candidates } of open.sort((a, b) => a.free - b.free)) {
    const costs = candidates.map(({ box, cost }) => cost + 10 * total(box, [...placed.values()]));
    const best = candidates[costs.indexOf(Math.min(...costs))];
    if (best) placed.set(line, best.box);
  }
  return placed;
}
