// Assigns the lanes beside the states: one for all transitions of a kind to the same phase, the shortest ones next to the states.
import type { Box } from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import type { GraphTransition } from './chart-graph.ts';
import { labelSize } from './place-states.ts';
import { isAlone, type Side } from './plan-routes.ts';
import { boxAt, type Drawn, stemOf } from './stems.ts';

export interface Lane {
  /** The phase that it leads to. */
  readonly to: string;
  readonly side: Side;
  readonly stop: GraphTransition['stop'];
  readonly transitions: readonly GraphTransition[];
  readonly x: number;
  /** The height at which it enters the phase. */
  readonly entry: number;
}

type OpenLane = Omit<Lane, 'x' | 'entry' | 'transitions'> & {
  readonly transitions: GraphTransition[];
  readonly isBackward: boolean;
  /** The heights at which transitions join it. */
  readonly joins: number[];
};

const distance = { first: 16, next: 11 } as const;
const entryGap = 10;

/** The lanes without their places. */
function openLanes(drawn: Drawn): OpenLane[] {
  const lanes = new Map<string, OpenLane>();
  for (const exit of drawn.plan.exits) {
    const [, [, y]] = stemOf(exit, drawn);
    for (const transition of exit.transitions) {
      const row = drawn.grid.rowOf(transition.to);
      const to = drawn.grid.phases[row]?.path ?? '';
      const isBackward = row <= drawn.grid.rowOf(exit.from);
      const key = [to, exit.side, transition.stop, isBackward].join('|');
      const lane = lanes.get(key) ?? {
        to,
        side: exit.side,
        stop: transition.stop,
        transitions: [],
        isBackward,
        joins: [],
      };
      lane.transitions.push(transition);
      lane.joins.push(y);
      lanes.set(key, lane);
    }
  }
  return [...lanes.values()];
}

type Extent = readonly [from: number, to: number];

/** Gives each lane of a side the slot nearest to the states that is free for its whole length. */
function slotsOf(lanes: readonly OpenLane[], boxes: ReadonlyMap<string, Box>): ReadonlyMap<OpenLane, number> {
  const extentOf = ({ to, joins }: OpenLane): Extent => {
    const { y, height } = boxAt(boxes, to);
    return [Math.min(...joins, y + height / 2 - entryGap), Math.max(...joins, y + height / 2 + entryGap)];
  };
  const length = ([from, to]: Extent) => to - from;
  const slots: Extent[][] = [];
  const chosen = new Map<OpenLane, number>();
  for (const lane of lanes.toSorted((a, b) => length(extentOf(a)) - length(extentOf(b)))) {
    const [from, to] = extentOf(lane);
    const isFree = (taken: readonly Extent[]) => taken.every(([a, b]) => to < a - 8 || from > b + 8);
    // a longer lane further in would cross the ways of the shorter ones
    const free = slots.findLastIndex((taken) => !isFree(taken)) + 1;
    slots[free] = [...(slots[free] ?? []), [from, to]];
    chosen.set(lane, free);
  }
  return chosen;
}

/** Returns the places at which the lanes of one side enter a phase: those from above over those from below, and none crosses another. */
function entriesOf(
  lanes: readonly OpenLane[],
  slots: ReadonlyMap<OpenLane, number>,
  box: Box,
): ReadonlyMap<OpenLane, number> {
  const slotOf = (lane: OpenLane) => slots.get(lane) ?? 0;
  const forward = lanes.filter(({ isBackward }) => !isBackward).sort((a, b) => slotOf(a) - slotOf(b));
  const backward = lanes.filter(({ isBackward }) => isBackward).sort((a, b) => slotOf(b) - slotOf(a));
  const order = [...forward, ...backward];
  const middle = box.y + box.height / 2;
  return new Map(order.map((lane, i) => [lane, middle + (i - (order.length - 1) / 2) * entryGap]));
}

/** Returns how far to both sides states reach, with the labels that stand beside those that have a row for themselves. */
function edgesOf({ boxes, plan, grid }: Drawn): Readonly<Record<Side, number>> {
  const beside = plan.exits.filter(({ from, labels }) => labels.length > 0 && isAlone(from, grid));
  const reach = (side: Side) =>
    beside
      .filter((exit) => exit.side === side)
      .map(({ from, labels }) => [boxAt(boxes, from), labelSize(labels).width] as const);
  const all = [...boxes.values()];
  return {
    left: Math.min(...all.map(({ x }) => x), ...reach('left').map(([{ x }, label]) => x - label)),
    right: Math.max(
      ...all.map(({ x, width }) => x + width),
      ...reach('right').map(([{ x, width }, label]) => x + width + label),
    ),
  };
}

/** Assigns all lanes. */
export function assignLanes(drawn: Drawn): Lane[] {
  const edges = edgesOf(drawn);
  const all = openLanes(drawn);
  return (['left', 'right'] as const).flatMap((side) => {
    const lanes = all.filter((lane) => lane.side === side);
    const slots = slotsOf(lanes, drawn.boxes);
    return lanes.map((lane) => {
      const entries = entriesOf(
        lanes.filter(({ to }) => to === lane.to),
        slots,
        boxAt(drawn.boxes, lane.to),
      );
      const out = distance.first + distance.next * (slots.get(lane) ?? 0);
      const { to, stop, transitions } = lane;
      return {
        to,
        side,
        stop,
        transitions,
        x: side === 'left' ? edges.left - out : edges.right + out,
        entry: entries.get(lane) ?? 0,
      };
    });
  });
}
