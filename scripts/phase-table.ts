// Draws a statechart as a table: a row for each phase, in each cell its answer to an event. Events that every phase answers alike share a column.
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { conditionOf, declaredBy, deedsOf, eventName, joinParts, leavesOf, pathOf } from './transitions.ts';

/** Events of the road of a CANCEL come first, XState's own last. */
const order = ['CANCEL', 'OUTCOME', 'OVERDUE'];
const rank = (event: string): number => {
  if (order.includes(event)) return order.indexOf(event);
  if (event === event.toUpperCase()) return order.length;
  return event === 'at once' ? order.length + 2 : order.length + 1;
};

function eventsOf(root: AnyStateNode): string[] {
  const nodes = leavesOf(root).flatMap(lineOf);
  const events = new Set(nodes.flatMap((node) => declaredBy(node).map(({ eventType }) => eventName(eventType))));
  return [...events].sort((a, b) => rank(a) - rank(b));
}

/** Returns a state and its ancestors, from the inside out. */
function lineOf(node: AnyStateNode): AnyStateNode[] {
  return node.parent ? [node, ...lineOf(node.parent)] : [node];
}

/** Returns the answers of a leaf: its own transitions, then those of its ancestors, up to one without a guard. */
function answersOf(leaf: AnyStateNode, event: string): AnyTransitionDefinition[] {
  const answers: AnyTransitionDefinition[] = [];
  if (leaf.type === 'final') return answers;
  for (const node of lineOf(leaf)) {
    const own = declaredBy(node).filter(({ eventType }) => eventName(eventType) === event);
    answers.push(...own);
    if (own.some(({ guard }) => !guard)) break;
  }
  return answers;
}

function cellOf(leaf: AnyStateNode, event: string): string {
  const answers = answersOf(leaf, event).map((transition) => {
    const targets = (transition.target ?? []).map(pathOf);
    const goes = targets.map((target: string) => `→ ${target}`);
    return joinParts(conditionOf(transition), deedsOf(transition), ...goes) || 'ignored';
  });
  if (answers.length > 0) return answers.join('<br>');
  const reason: unknown = lineOf(leaf).find(({ meta }) => meta?.[event])?.meta[event];
  return typeof reason === 'string' ? `*${reason}*` : '–';
}

/** Returns the table of a chart as Markdown. */
export function tableOf(root: AnyStateNode): string {
  const leaves = leavesOf(root);
  const columns = Map.groupBy(eventsOf(root), (event) => JSON.stringify(leaves.map((leaf) => cellOf(leaf, event))));
  const shown = [...columns.values()];
  const rows = leaves.map((leaf) => [`**${pathOf(leaf)}**`, ...shown.map(([event = '']) => cellOf(leaf, event))]);
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const head = ['phase', ...shown.map((events) => events.join(', '))];
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
