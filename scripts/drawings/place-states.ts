// Places the states of a chart: each phase in a row of its own, in the order of the definition, and its inner states in columns that all rows share.
import type { Box } from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import type { ChartGraph, GraphState, GraphTransition } from './chart-graph.ts';
import { textWidth } from './text-width.ts';

/** Sizes of type, and heights of lines: src/page/styles/statechart.css has the same. */
export const sizes = { name: 13, small: 10.5, label: 11, labelLine: 14, smallLine: 13 } as const;

const padding = 11;
/** Names are semi-bold. */
const wideFace = 1.15;
/** The height of the line with a state's name. */
export const nameLine = 26;
/** Around the row of inner states. */
const rowPadding = 8;
/** For the dot of the initial state, and its arrow. */
const initialWidth = 26;
const widestHandled = 250;
/** Above the row of inner states, for a transition that passes one of them. */
const archHeight = 24;

/** What the rows and columns of a chart are, before anything has a place. */
export interface ChartGrid {
  /** The children of the machine, in rows. */
  readonly phases: readonly GraphState[];
  /** Returns the row of a state. */
  rowOf(path: string): number;
  /** Returns the column of a state; a phase with inner states has none. */
  columnOf(path: string): number | null;
  childrenOf(path: string): readonly GraphState[];
}

/** Reads the rows and columns of a chart. */
export function gridOf({ states }: ChartGraph): ChartGrid {
  const childrenOf = (path: string) => states.filter(({ parent }) => parent === path);
  const phases = childrenOf('');
  const deep = states.find(({ path }) => path.split('.').length > 2);
  if (deep) throw new Error(`${deep.path}: a state three deep has no drawing yet. Extend scripts/drawings.`);
  const rowOf = (path: string) => phases.findIndex((phase) => path === phase.path || path.startsWith(`${phase.path}.`));
  const columnOf = (path: string) => {
    const phase = phases[rowOf(path)];
    if (phase?.path !== path) return childrenOf(phase?.path ?? '').findIndex((state) => state.path === path);
    return childrenOf(path).length > 0 ? null : 0;
  };
  return { phases, rowOf, columnOf, childrenOf };
}

/** Whether both ends are inner states of one phase. */
export const isInner = ({ from, to }: GraphTransition): boolean =>
  from.includes('.') && to.includes('.') && from.split('.')[0] === to.split('.')[0];

/** Returns the names of the events that change no state, in lines. */
export function handledLines({ handles }: Pick<GraphState, 'handles'>): string[] {
  const events = [...new Set(handles.map(({ event }) => event))].filter((event) => /^[A-Z_]+$/.test(event));
  const lines: string[] = [];
  for (const event of events) {
    const longer = lines.length > 0 ? `${lines.at(-1)} · ${event}` : event;
    if (lines.length > 0 && textWidth(longer, sizes.small) <= widestHandled) lines[lines.length - 1] = longer;
    else lines.push(event);
  }
  return lines;
}

/** The size of a state's own texts: its name, the workers that it invokes, the events that it handles in place. */
function textSize(state: GraphState): { readonly width: number; readonly height: number } {
  const lines = handledLines(state);
  const tags = state.invokes.map((id) => textWidth(id, sizes.small) + 18);
  const widths = [
    textWidth(state.name, sizes.name) * wideFace,
    ...tags,
    ...lines.map((line) => textWidth(line, sizes.small)),
  ];
  const more = state.invokes.length + lines.length;
  return { width: Math.ceil(Math.max(...widths)), height: nameLine + (more > 0 ? more * sizes.smallLine + 5 : 0) };
}

/** Returns the size of a label. */
export const labelSize = (labels: readonly string[]): { readonly width: number; readonly height: number } => ({
  width: Math.max(...labels.map((label) => textWidth(label, sizes.label))) + 2,
  height: labels.length * sizes.labelLine,
});

interface Column {
  readonly x: number;
  readonly width: number;
}

/** The axis, x = 0, is the middle of the first column: the way of a turn that nobody stops. */
function columnsOf(grid: ChartGrid, transitions: readonly GraphTransition[]): Column[] {
  const rows = grid.phases.map(({ path }) => grid.childrenOf(path));
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(60, ...rows.flatMap((row) => (row[column] ? [textSize(row[column]).width + 2 * padding] : []))),
  );
  const columns: Column[] = [];
  for (const [i, width] of widths.entries()) {
    const between = transitions.filter(
      (each) => isInner(each) && grid.columnOf(each.from) === i - 1 && grid.columnOf(each.to) === i,
    );
    const gap = Math.max(24, ...between.map(({ labels }) => labelSize(labels).width + 22));
    const before = columns.at(-1);
    columns.push({ x: before ? before.x + before.width + gap : -width / 2, width });
  }
  return columns;
}

/** Whether a transition inside a phase passes another inner state. */
const isArch = (grid: ChartGrid, transition: GraphTransition): boolean =>
  isInner(transition) && (grid.columnOf(transition.to) ?? 0) !== (grid.columnOf(transition.from) ?? 0) + 1;

/** Places all states. `gaps`: the height of the gap below each row. */
export function placeStates(graph: ChartGraph, gaps: readonly number[]): ReadonlyMap<string, Box> {
  const grid = gridOf(graph);
  const columns = columnsOf(grid, graph.transitions);
  const compounds = grid.phases.filter(({ path }) => grid.childrenOf(path).length > 0);
  const nameWidth = Math.max(0, ...compounds.map((phase) => textSize(phase).width));
  const left = (columns[0]?.x ?? 0) - initialWidth - nameWidth - 2 * padding;
  const boxes = new Map<string, Box>();
  let y = 0;
  for (const [row, phase] of grid.phases.entries()) {
    const children = grid.childrenOf(phase.path);
    const own = textSize(phase);
    if (children.length === 0) {
      const width = Math.max(76, own.width + 2 * padding);
      boxes.set(phase.path, { x: -width / 2, y, width, height: own.height });
      y += own.height + (gaps[row] ?? 0);
      continue;
    }
    const last = columns[children.length - 1] ?? { x: 0, width: 0 };
    const arches = graph.transitions.filter((each) => each.from.startsWith(`${phase.path}.`) && isArch(grid, each));
    const arch = arches.length * archHeight;
    const inner = Math.max(...children.map((child) => textSize(child).height));
    const height = Math.max(own.height + 2, inner + arch + 2 * rowPadding);
    boxes.set(phase.path, { x: left, y, width: last.x + last.width + padding - left, height });
    for (const [i, child] of children.entries()) {
      const { x, width } = columns[i] ?? last;
      const size = textSize(child);
      boxes.set(child.path, { x, y: y + arch + (height - arch - inner) / 2, width, height: size.height });
    }
    y += height + (gaps[row] ?? 0);
  }
  return boxes;
}
