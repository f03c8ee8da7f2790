// Draws the statechart of a machine: a row for each phase, from the first to the last; inside a phase, and beside all of them, a CANCEL goes to the right.
import type {
  Box,
  ChartDrawing,
  DrawnState,
  DrawnTransition,
  InitialState,
} from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import type { DescribedMachine } from '../all-machines.ts';
import { chartGraphOf, type GraphState } from './chart-graph.ts';
import { drawLines, type Line } from './draw-lines.ts';
import { placeLabels } from './place-labels.ts';
import { gridOf, handledLines, nameLine, placeStates } from './place-states.ts';
import { gapsOf, planRoutes } from './plan-routes.ts';
import { boxAt, type Point } from './stems.ts';

const margin = { side: 8, top: 26, bottom: 8 } as const;
const initialLength = 19;

/** The smallest box around all boxes and corners. */
function frameOf(boxes: readonly Box[], points: readonly Point[]): Box {
  const xs = [...boxes.flatMap(({ x, width }) => [x, x + width]), ...points.map(([x]) => x)];
  const ys = [...boxes.flatMap(({ y, height }) => [y, y + height]), ...points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs) - margin.side, Math.min(...ys) - margin.top];
  return { x, y, width: Math.max(...xs) + margin.side - x, height: Math.max(...ys) + margin.bottom - y };
}

/** The arrow from the dot of an initial state: from above in the machine, from the left inside a phase. */
function initialArrow(path: string, { x, y, width }: Box): readonly Point[] {
  if (!path.includes('.'))
    return [
      [x + width / 2, y - initialLength],
      [x + width / 2, y],
    ];
  return [
    [x - initialLength, y + nameLine / 2],
    [x, y + nameLine / 2],
  ];
}

/** Returns the drawing of a machine. */
export function drawMachine({ machine, about }: DescribedMachine): ChartDrawing {
  const graph = chartGraphOf(machine);
  const [root, ...states] = graph.states;
  if (!root) throw new Error(`The machine ${machine.id} has no states.`);
  const grid = gridOf(graph);
  const plan = planRoutes(graph, grid);
  const boxes = placeStates(graph, gapsOf(plan, grid));
  const lines = drawLines({ grid, plan, boxes });
  const placesOf = (isPhase: boolean) =>
    states.filter(({ kind }) => (kind === 'compound') === isPhase).map(({ path }) => boxAt(boxes, path));
  const labels = placeLabels(lines, placesOf(false), placesOf(true));
  const frame = frameOf(
    [...boxes.values(), ...labels.values()],
    lines.flatMap(({ points }) => points),
  );
  const moved = ({ x, y, width, height }: Box): Box => ({
    x: Math.round(x - frame.x),
    y: Math.round(y - frame.y),
    width: Math.round(width),
    height: Math.round(height),
  });
  const lineOf = (points: readonly Point[]): string =>
    points.map(([x, y]) => `${Math.round(x - frame.x)},${Math.round(y - frame.y)}`).join(' ');
  const initialOf = ({ initialChild: path }: GraphState): InitialState | null =>
    path === null ? null : { path, line: lineOf(initialArrow(path, boxAt(boxes, path))) };
  const stateOf = (state: GraphState): DrawnState => {
    const { parent: _, initialChild: __, ...rest } = state;
    return { ...rest, ...moved(boxAt(boxes, state.path)), initial: initialOf(state), handled: handledLines(state) };
  };
  const transitionOf = (line: Line): DrawnTransition => {
    const { labels: texts, ...transition } = line.transition;
    const label = labels.get(line);
    return { ...transition, line: lineOf(line.points), label: label ? { ...moved(label), lines: texts } : null };
  };
  return {
    id: machine.id,
    about,
    width: Math.round(frame.width),
    height: Math.round(frame.height),
    initial: initialOf(root),
    states: states.map(stateOf),
    transitions: lines.map(transitionOf),
    handles: root.handles,
    reasons: root.reasons,
  };
}
