// Names the parts of a transition for the drawings: its event, its guards, its actions.
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** Returns the states without inner states. */
export function leavesOf(node: AnyStateNode): AnyStateNode[] {
  const children = Object.values<AnyStateNode>(node.states);
  return children.length === 0 ? [node] : children.flatMap(leavesOf);
}

/** Returns the path below the machine: `acting.interrupted`. */
export const pathOf = (node: AnyStateNode): string => node.path.join('.');

const named: readonly (readonly [RegExp, string])[] = [
  [/^xstate\.done\.actor\.\*$/, 'child gone'],
  [/^xstate\.error\.actor\.\*$/, 'child threw'],
  [/^xstate\.done\.actor\..+$/, 'work ends'],
  [/^xstate\.error\.actor\..+$/, 'work threw'],
  [/^xstate\.done\.state\..+$/, 'all inside done'],
  [/^$/, 'at once'],
];

/** Returns the name that the drawings give to an event descriptor. */
export function eventName(descriptor: string): string {
  return named.find(([pattern]) => pattern.test(descriptor))?.[1] ?? descriptor;
}

/** Returns the name of a guard, with its params or its parts. */
export function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'object' && guard !== null && 'type' in guard) {
    const { params } = guard as { params?: unknown };
    return typeof params === 'string' ? `${guard.type} ${params}` : String(guard.type);
  }
  if (typeof guard === 'function') {
    if (!('guards' in guard)) return 'a condition';
    const parts = (guard.guards as readonly unknown[]).map(guardName);
    const isNot =
      guard.name === 'not' ||
      String(('check' in guard && (guard.check as { name?: string }).name) || '').includes('Not');
    return isNot ? `not ${parts.join(' ')}` : parts.join(' and ');
  }
  return '';
}

/** Returns the name of an action. */
export function actionName(action: unknown): string {
  if (typeof action === 'string') return action;
  if (typeof action === 'object' && action !== null && 'type' in action) return String(action.type);
  return 'an action';
}

/** Returns `[hasStanding]`, or nothing. */
export const conditionOf = ({ guard }: AnyTransitionDefinition): string => (guard ? `[${guardName(guard)}]` : '');

/** Returns `relay, obey`, or nothing. */
export const deedsOf = ({ actions }: AnyTransitionDefinition): string => actions.map(actionName).join(', ');

/** Joins the parts that are not empty by spaces. */
export const joinParts = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ');

/** Returns all transitions that a state declares itself, those without an event too. */
export function declaredBy(node: AnyStateNode): readonly AnyTransitionDefinition[] {
  return [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
}
