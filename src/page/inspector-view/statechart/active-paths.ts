// Reads the value of a chart as the paths of its active states.
import type { StateValue } from '../../../wire/inspection.ts';

/** Returns the paths of all active states, parents before their children: `generating`, `generating.active`. */
export function activePaths(value: StateValue | null): string[] {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  return Object.entries(value).flatMap(([state, inner]) => [
    state,
    ...activePaths(inner ?? null).map((path) => `${state}.${path}`),
  ]);
}

/** Returns the path of the innermost active state; null: there is none. Of parallel states it is the first one's. */
export function activeLeaf(value: StateValue | null): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  const [first] = Object.entries(value);
  if (!first) return null;
  const [state, inner] = first;
  const below = activeLeaf(inner ?? null);
  return below === null ? state : `${state}.${below}`;
}
