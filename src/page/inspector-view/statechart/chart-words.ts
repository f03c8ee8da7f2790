// Words for the parts of a statechart: its events, its active states, its last step.

import type { StateValue } from '../../../wire/inspection.ts';
import { activePaths } from './active-paths.ts';
import type { Handler } from './chart-drawing.ts';
import type { LastStep } from './transitions-taken.ts';

const patterns: readonly (readonly [RegExp, string])[] = [
  [/^xstate\.done\.actor\.(.+)\.\*$/, 'any $1 is done'],
  [/^xstate\.done\.actor\.\*$/, 'a child is done'],
  [/^xstate\.error\.actor\.\*$/, 'a child has thrown'],
  [/^xstate\.done\.actor\.(.+)$/, '$1 is done'],
  [/^xstate\.error\.actor\.(.+)$/, '$1 has failed'],
  [/^xstate\.done\.state\..+$/, 'all inside is done'],
  [/^xstate\.init$/, 'its start'],
  [/^$/, 'at once'],
];

/** Returns words for XState's descriptor of an event. */
export function eventWords(event: string): string {
  const [pattern, words] = patterns.find(([each]) => each.test(event)) ?? [];
  return pattern && words ? event.replace(pattern, words) : event;
}

/** Returns the active states in words: the innermost ones. */
export function activeWords(value: StateValue | null): string {
  const paths = activePaths(value);
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`))).join(', ');
}

/** Returns a step in words. */
export function stepWords({ event, from, to }: LastStep): string {
  const [before, after] = [activeWords(from), activeWords(to)];
  return before === after ? `${eventWords(event)}: stays in ${after}` : `${eventWords(event)}: ${before} → ${after}`;
}

/** Returns the ways of handling events in words: one line for each. */
export function handlerWords(handlers: readonly Handler[]): string {
  const lines = handlers.map(({ event, guard, actions }) => {
    const condition = guard === '' ? '' : ` if ${guard}`;
    return `${eventWords(event)}${condition}${actions.length > 0 ? ` / ${actions.join(', ')}` : ''}`;
  });
  return lines.join('\n');
}
