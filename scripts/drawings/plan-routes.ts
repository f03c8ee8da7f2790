// Chooses the way of each transition, before anything has a place: straight on, through a gap below its row, along a lane at the side.
import type { ChartGraph, GraphTransition } from './chart-graph.ts';
import { type ChartGrid, isInner, labelSize } from './place-states.ts';

export type Side = 'left' | 'right';

/** Transitions that leave a state together, under one label, for lanes at one side. */
export interface Exit {
  readonly from: string;
  readonly side: Side;
  readonly labels: readonly string[];
  readonly transitions: readonly GraphTransition[];
}

export type PlannedRoute =
  /** To an inner state of the same phase. */
  | { readonly kind: 'inner'; readonly transition: GraphTransition }
  /** To the next row. */
  | { readonly kind: 'straight'; readonly transition: GraphTransition }
  /** To any other row. */
  | { readonly kind: 'lane'; readonly transition: GraphTransition; readonly exit: Exit };

export interface RoutePlan {
  readonly routes: readonly PlannedRoute[];
  readonly exits: readonly Exit[];
}

/** The way of a turn that nobody stops has its lanes at the left; a CANCEL, and what follows it, at the right. */
function sideOf({ from, stop }: GraphTransition, grid: ChartGrid): Side {
  return stop === 'cancel' || (grid.columnOf(from) ?? 0) > 0 ? 'right' : 'left';
}

const isNext = ({ from, to }: GraphTransition, grid: ChartGrid): boolean => grid.rowOf(to) === grid.rowOf(from) + 1;

/** Plans the ways of all transitions. */
export function planRoutes({ transitions }: ChartGraph, grid: ChartGrid): RoutePlan {
  const lanes = transitions.filter((each) => !isInner(each) && !isNext(each, grid));
  const exits = new Map<string, Exit & { readonly transitions: GraphTransition[] }>();
  const exitKey = (each: GraphTransition) => [each.from, sideOf(each, grid), each.stop, ...each.labels].join('|');
  for (const each of lanes) {
    const exit = exits.get(exitKey(each)) ?? {
      from: each.from,
      side: sideOf(each, grid),
      labels: each.labels,
      transitions: [],
    };
    exit.transitions.push(each);
    exits.set(exitKey(each), exit);
  }
  const routes = transitions.map((transition): PlannedRoute => {
    if (isInner(transition)) return { kind: 'inner', transition };
    const exit = exits.get(exitKey(transition));
    return exit?.transitions.includes(transition)
      ? { kind: 'lane', transition, exit }
      : { kind: 'straight', transition };
  });
  return { routes, exits: [...exits.values()] };
}

/** Returns the exits of a row at one side, in the order of their tracks below it: the outermost stem has the uppermost track, so that none crosses another. */
export function tracksOf({ exits }: RoutePlan, grid: ChartGrid, row: number, side: Side): Exit[] {
  const own = exits.filter((exit) => exit.side === side && grid.rowOf(exit.from) === row && !isAlone(exit.from, grid));
  return own.toReversed().sort((a, b) => (grid.columnOf(b.from) ?? -1) - (grid.columnOf(a.from) ?? -1));
}

/** Whether a state has a row for itself: its transitions leave at its sides. */
export const isAlone = (path: string, grid: ChartGrid): boolean =>
  !path.includes('.') && grid.childrenOf(path).length === 0;

const track = { height: 16, first: 17, below: 7 } as const;
const smallestGap = 23;
/** Labels that are no wider have room side by side. */
const narrowLabel = 60;

/** Returns how far below its row a track lies. */
export const trackOffset = (i: number): number => track.first + i * track.height;

/** Returns the height of the gap below each row: its tracks, and the labels of what goes straight on. */
export function gapsOf(plan: RoutePlan, grid: ChartGrid): number[] {
  return grid.phases.map((_, row) => {
    const tracks = Math.max(...(['left', 'right'] as const).map((side) => tracksOf(plan, grid, row, side).length));
    const straight = plan.routes.filter(
      ({ kind, transition: { from, labels } }) =>
        kind === 'straight' && grid.rowOf(from) === row && labels.length > 0 && labelSize(labels).width > narrowLabel,
    );
    return Math.max(
      smallestGap,
      straight.length > 1 ? smallestGap + track.height : 0,
      tracks > 0 ? trackOffset(tracks - 1) + track.below : 0,
    );
  });
}
