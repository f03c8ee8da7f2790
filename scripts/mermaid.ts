// Draws a statechart as a Mermaid diagram.
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { conditionOf, declaredBy, deedsOf, eventName, joinParts } from './transitions.ts';

const idOf = (node: AnyStateNode): string => node.path.join('_').replaceAll('-', '_');
const childrenOf = (node: AnyStateNode): AnyStateNode[] => Object.values<AnyStateNode>(node.states);

function boxesOf(node: AnyStateNode, indent: string): string[] {
  const inner = childrenOf(node);
  if (inner.length === 0) return [`${indent}state "${node.key}" as ${idOf(node)}`];
  return [`${indent}state "${node.key}" as ${idOf(node)} {`, ...insideOf(node, `${indent}  `), `${indent}}`];
}

/** Returns the states of a compound one, where they start and end, and the arrows between them, each in the nearest box around both ends. */
function insideOf(node: AnyStateNode, indent: string): string[] {
  const initial = node.initial?.target[0];
  return [
    ...childrenOf(node).flatMap((child) => boxesOf(child, indent)),
    ...(initial ? [`${indent}[*] --> ${idOf(initial)}`] : []),
    ...arrowsIn(node).map((arrow) => `${indent}${arrow}`),
    ...childrenOf(node)
      .filter(({ type }) => type === 'final')
      .map((child) => `${indent}${idOf(child)} --> [*]`),
  ];
}

function arrowsIn(box: AnyStateNode): string[] {
  const arrows = below(box).flatMap((source) =>
    declaredBy(source).flatMap((transition) =>
      (transition.target ?? []).flatMap((target: AnyStateNode) => arrowOf(box, source, target, transition)),
    ),
  );
  return [...new Set(arrows)];
}

function arrowOf(
  box: AnyStateNode,
  source: AnyStateNode,
  target: AnyStateNode,
  transition: AnyTransitionDefinition,
): string[] {
  const from = childToward(box, source);
  const to = childToward(box, target);
  if (!from || !to || (from === to && (from !== source || to !== target))) return [];
  const inside = from === source ? '' : `${source.path.slice(from.path.length).join('.')}·`;
  const into = to === target ? '' : `·${target.path.slice(to.path.length).join('.')}`;
  const deeds = deedsOf(transition);
  const label = joinParts(
    inside,
    eventName(transition.eventType),
    conditionOf(transition),
    deeds && `/ ${deeds}`,
    into,
  );
  return [`${idOf(from)} --> ${idOf(to)}: ${label.replaceAll(/[:;#]/g, ' ')}`];
}

/** Returns the child of `box` that is `node` or contains it. */
function childToward(box: AnyStateNode, node: AnyStateNode): AnyStateNode | undefined {
  return childrenOf(box).find((child) => node === child || below(child).includes(node));
}

function below(node: AnyStateNode): AnyStateNode[] {
  return childrenOf(node).flatMap((child) => [child, ...below(child)]);
}

/** Returns the diagram of a chart. */
export function chartOf(root: AnyStateNode): string {
  return ['stateDiagram-v2', ...insideOf(root, '  ')].join('\n');
}
