// Draws the lines of all transitions between placed states.
import type { GraphTransition } from './chart-graph.ts';
import { assignLanes, type Lane } from './lanes.ts';
import { nameLine } from './place-states.ts';
import type { PlannedRoute } from './plan-routes.ts';
import { boxAt, type Drawn, middleOf, type Point, stemOf } from './stems.ts';

export interface Line {
  readonly transition: GraphTransition;
  readonly points: readonly Point[];
  /** The two corners between which its label belongs; null: the label stands at another line of the same exit. */
  readonly labeled: readonly [Point, Point] | null;
}

function innerLine(transition: GraphTransition, { grid, boxes }: Drawn): Line {
  const [from, to] = [boxAt(boxes, transition.from), boxAt(boxes, transition.to)];
  const [a = 0, b = 0] = [grid.columnOf(transition.from) ?? 0, grid.columnOf(transition.to) ?? 0];
  if (b === a + 1) {
    const y = Math.max(from.y, to.y) + nameLine / 2;
    const points: [Point, Point] = [
      [from.x + from.width, y],
      [to.x, y],
    ];
    return { transition, points, labeled: points };
  }
  const [x, end] = [middleOf(from), middleOf(to)];
  const top = Math.min(from.y, to.y) - 14;
  const corners: [Point, Point] = [
    [x, top],
    [end, top],
  ];
  return { transition, points: [[x, from.y], ...corners, [end, to.y]], labeled: corners };
}

function straightLine(transition: GraphTransition, { grid, boxes }: Drawn, lanes: readonly Lane[]): Line {
  const [from, to] = [boxAt(boxes, transition.from), boxAt(boxes, transition.to)];
  const x = grid.columnOf(transition.from) === null ? 0 : middleOf(from);
  const start: Point = [x, from.y + from.height];
  if (x <= to.x + to.width) {
    const end: Point = [x, to.y];
    const phase = boxAt(boxes, grid.phases[grid.rowOf(transition.from)]?.path ?? '');
    return {
      transition,
      points: [start, end],
      labeled: [
        [x, phase.y + phase.height],
        [x, boxAt(boxes, grid.phases[grid.rowOf(transition.to)]?.path ?? '').y],
      ],
    };
  }
  const lane = lanes.find(
    (each) => each.to === transition.to && each.side === 'right' && each.stop === transition.stop,
  );
  const y = lane?.entry ?? to.y + to.height / 2;
  const corner: Point = [x, y];
  return { transition, points: [start, corner, [to.x + to.width, y]], labeled: [start, corner] };
}

function laneLine(
  { transition, exit }: Extract<PlannedRoute, { kind: 'lane' }>,
  drawn: Drawn,
  lanes: readonly Lane[],
): Line {
  const lane = lanes.find(({ transitions }) => transitions.includes(transition));
  if (!lane) throw new Error(`${transition.id} has no lane.`);
  const [start, turn] = stemOf(exit, drawn);
  const phase = boxAt(drawn.boxes, lane.to);
  const end: Point = [exit.side === 'left' ? phase.x : phase.x + phase.width, lane.entry];
  const corner: Point = [lane.x, turn[1]];
  const points = [start, turn, corner, [lane.x, lane.entry] as const, end];
  const isFirst = exit.transitions[0] === transition;
  return {
    transition,
    points: points.filter((point, i) => i === 0 || String(point) !== String(points[i - 1])),
    labeled: isFirst ? [turn, corner] : null,
  };
}

/** Returns a line for each transition. */
export function drawLines(drawn: Drawn): Line[] {
  const lanes = assignLanes(drawn);
  return drawn.plan.routes.map((route) => {
    if (route.kind === 'inner') return innerLine(route.transition, drawn);
    if (route.kind === 'straight') return straightLine(route.transition, drawn, lanes);
    return laneLine(route, drawn, lanes);
  });
}
