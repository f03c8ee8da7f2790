// Reads the definition of a machine as a graph: its states, and between them its transitions, those with the same two ends as one.
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type {
  Box,
  DrawnState,
  DrawnTransition,
  Handler,
} from '../../src/page/inspector-view/statechart/chart-drawing.ts';
import { actionName, declaredBy, guardName, pathOf } from '../transitions.ts';
import { labelsOf } from './labels.ts';

type Placed = keyof Box | 'initial' | 'handled';

/** A state without its place. */
export interface GraphState extends Omit<DrawnState, Placed> {
  readonly parent: string | null;
  /** The path of its initial child; null: it has none. */
  readonly initialChild: string | null;
}

/** A transition without its way. */
export interface GraphTransition extends Omit<DrawnTransition, 'line' | 'label'> {
  readonly labels: readonly string[];
}

export interface ChartGraph {
  /** The machine is the first one: its path is empty. Parents come before their children. */
  readonly states: readonly GraphState[];
  readonly transitions: readonly GraphTransition[];
}

const handlerOf = ({ eventType, guard, actions }: AnyTransitionDefinition): Handler => ({
  event: eventType,
  guard: guard ? guardName(guard) : '',
  actions: actions.map(actionName),
});

function kindOf({ type, id }: AnyStateNode): DrawnState['kind'] {
  if (type === 'compound' || type === 'final' || type === 'atomic') return type;
  throw new Error(`${id}: a state of the type ${type} has no drawing yet. Extend scripts/drawings.`);
}

function stateOf(node: AnyStateNode): GraphState {
  const initial = node.initial?.target[0];
  const inPlace = declaredBy(node).filter(({ target }) => !target?.length);
  return {
    path: pathOf(node),
    name: node.key,
    kind: kindOf(node),
    parent: node.parent ? pathOf(node.parent) : null,
    initialChild: initial && node.type === 'compound' ? pathOf(initial) : null,
    invokes: node.invoke.map(({ id }) => id),
    handles: inPlace.map(handlerOf),
    entry: node.entry.map(actionName),
    exit: node.exit.map(actionName),
    reasons: node.meta ?? {},
  };
}

function withDescendants(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values<AnyStateNode>(node.states).flatMap(withDescendants)];
}

const isStopEvent = (event: string): boolean => event === 'CANCEL' || event === 'OVERDUE';

function transitionsFrom(source: AnyStateNode): GraphTransition[] {
  const groups = new Map<string, { readonly target: AnyStateNode; readonly rows: AnyTransitionDefinition[] }>();
  for (const transition of declaredBy(source)) {
    for (const target of transition.target ?? []) {
      const id = `${pathOf(source)}→${pathOf(target)}${isStopEvent(transition.eventType) ? ' stop' : ''}`;
      const group = groups.get(id) ?? { target, rows: [] };
      group.rows.push(transition);
      groups.set(id, group);
    }
  }
  const isUnwinding = source.key === 'interrupted' || source.key === 'abandoned';
  return [...groups].map(([id, { target, rows }]) => {
    const labels = labelsOf(source, target, rows);
    const isInside = source.parent === target.parent && source.parent !== source.machine.root;
    return {
      id,
      from: pathOf(source),
      to: pathOf(target),
      handlers: rows.map(handlerOf),
      stop: id.endsWith(' stop') ? 'cancel' : isUnwinding ? 'unwinding' : null,
      // beside a line there is room for one line of text; between two inner states they stand one over the other
      labels: isInside || labels.length === 0 ? labels : [labels.join(' · ')],
    };
  });
}

/** Reads a machine. */
export function chartGraphOf(machine: AnyStateMachine): ChartGraph {
  const nodes = withDescendants(machine.root);
  return { states: nodes.map(stateOf), transitions: nodes.flatMap(transitionsFrom) };
}
