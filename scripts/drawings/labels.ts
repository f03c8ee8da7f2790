// Chooses the short labels of a drawn transition: its events, and its guards where they make the difference.
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { declaredBy, guardName } from '../transitions.ts';

const workerEvent = /^xstate\.(done|error)\.actor\.(.+)$/;

/** The workers that run in a state: its own, and those of the states around it. */
function workersOf(node: AnyStateNode): string[] {
  return [...node.invoke.map(({ id }) => id), ...(node.parent ? workersOf(node.parent) : [])];
}

function eventLabel(source: AnyStateNode, event: string): string {
  if (event.startsWith('xstate.done.state.')) return 'all done';
  const [, how, worker = ''] = workerEvent.exec(event) ?? [];
  if (how === undefined) return event;
  const words = how === 'done' ? 'done' : 'failed';
  const workers = workersOf(source);
  return workers.length === 1 && workers[0] === worker ? words : `${worker} ${words}`;
}

/** The guard in words, without the parts that only repeat the target's name. */
function guardLabel(guard: unknown, target: AnyStateNode): string {
  if (!guard) return '';
  const parts = guardName(guard)
    .split(' and ')
    .filter((part) => !part.endsWith(` ${target.key}`));
  return parts.length > 0 ? `[${parts.join(' and ')}]` : '';
}

function conditionOf(source: AnyStateNode, target: AnyStateNode, transition: AnyTransitionDefinition): string {
  const { eventType: event, guard } = transition;
  const rivals = declaredBy(source).filter((other) => other.eventType === event && other.target?.length);
  const isChoice = event === '' || new Set(rivals.map(({ target: to }) => to?.[0])).size > 1;
  if (!isChoice) return '';
  return guardLabel(guard, target) || (rivals.length > 1 && !guard ? '[else]' : '');
}

/** Returns the labels of the transitions between two states: one for each event, with all its guards. */
export function labelsOf(
  source: AnyStateNode,
  target: AnyStateNode,
  transitions: readonly AnyTransitionDefinition[],
): string[] {
  const conditions = new Map<string, Set<string>>();
  for (const transition of transitions) {
    const event = eventLabel(source, transition.eventType);
    conditions.set(event, (conditions.get(event) ?? new Set()).add(conditionOf(source, target, transition)));
  }
  const labels = [...conditions].map(([event, guards]) => [event, ...guards].filter((part) => part !== '').join(' '));
  return labels.filter((label) => label !== '');
}
