// Finds the drawn transitions that a machine has taken in its last step.
import type { StateValue } from '../../../wire/inspection.ts';
import { activeLeaf } from './active-paths.ts';
import type { ChartDrawing, DrawnTransition, Handler } from './chart-drawing.ts';

/** The last step of a machine. */
export interface LastStep {
  readonly event: string;
  readonly from: StateValue;
  readonly to: StateValue;
}

export interface Taken {
  /** Ids of transitions, in the order in which they were taken: after the event's own come those that need none. */
  readonly transitions: readonly string[];
  /** The state that handled the event without a transition; empty: the machine itself; null: none did. */
  readonly handledBy: string | null;
}

/** More than any chart takes in one step. */
const mostSteps = 10;

/** Whether a descriptor is that of an event: `xstate.done.actor.call.*` is that of every call. */
function matchesEvent(descriptor: string, event: string): boolean {
  if (descriptor === event) return true;
  return descriptor.endsWith('.*') && event.startsWith(descriptor.slice(0, -1));
}

const isEventless = ({ event }: Handler): boolean => event === '' || event.startsWith('xstate.done.state.');

/** Returns a state and those around it, from the inside out. */
function lineageOf(path: string): string[] {
  const parts = path.split('.');
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('.'));
}

/** Returns the innermost state that is active when a state is entered. */
function entered(drawing: ChartDrawing, path: string): string {
  const initial = drawing.states.find((state) => state.path === path)?.initial;
  return initial ? entered(drawing, initial.path) : path;
}

function leaving(drawing: ChartDrawing, leaf: string, by: (handler: Handler) => boolean): DrawnTransition[] {
  return lineageOf(leaf).flatMap((path) =>
    drawing.transitions.filter(({ from, handlers }) => from === path && handlers.some(by)),
  );
}

/** Returns the shortest way from a state to another by transitions that need no event; null: there is none. */
function eventlessWay(drawing: ChartDrawing, from: string, to: string): string[] | null {
  let ends: readonly (readonly [leaf: string, way: readonly string[]])[] = [[from, []]];
  for (let step = 0; step <= mostSteps; step++) {
    const end = ends.find(([leaf]) => leaf === to);
    if (end) return [...end[1]];
    ends = ends.flatMap(([leaf, way]) =>
      leaving(drawing, leaf, isEventless)
        .filter(({ id }) => !way.includes(id))
        .map((next) => [entered(drawing, next.to), [...way, next.id]] as const),
    );
  }
  return null;
}

/** Returns the state that handles an event in place. */
function handlerOf(drawing: ChartDrawing, leaf: string, event: string): string | null {
  const handles = ({ handles: handlers }: { readonly handles: readonly Handler[] }) =>
    handlers.some((handler) => matchesEvent(handler.event, event));
  const path = lineageOf(leaf).find((each) => drawing.states.some((state) => state.path === each && handles(state)));
  return path ?? (handles(drawing) ? '' : null);
}

/** Returns what a machine has taken in its last step. */
export function transitionsTaken(drawing: ChartDrawing, last: LastStep | null): Taken {
  const [from, to] = [activeLeaf(last?.from ?? null), activeLeaf(last?.to ?? null)];
  if (!last || from === null || to === null) return { transitions: [], handledBy: null };
  const ways = leaving(drawing, from, (handler) => !isEventless(handler) && matchesEvent(handler.event, last.event))
    .map((first) => [first.id, eventlessWay(drawing, entered(drawing, first.to), to)] as const)
    .flatMap(([id, way]) => (way ? [[id, ...way]] : []));
  const [shortest] = ways.sort((a, b) => a.length - b.length);
  if (shortest && from !== to) return { transitions: shortest, handledBy: null };
  // the event was handled in place; what it changed may have let the machine go on
  const onward = from === to ? [] : (eventlessWay(drawing, from, to) ?? []);
  return { transitions: onward, handledBy: handlerOf(drawing, from, last.event) };
}
