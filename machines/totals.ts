// Adds up the usages and the effects of several pieces of work.
import { type Effect, type Usage, usageDetails } from './vocabulary.ts';

const isNone = ({ kind, input, output }: Usage): boolean => kind === 'exact' && input === 0 && output === 0;

const usageKinds = ['exact', 'estimated', 'unknown'] as const;

/** Returns the sum, with the less certain kind of the two. */
export function addUsage(a: Usage, b: Usage): Usage {
  if (isNone(a)) return b; // whatever its kind: a zero that is exact adds nothing
  if (isNone(b)) return a;
  const worst = Math.max(usageKinds.indexOf(a.kind), usageKinds.indexOf(b.kind));
  const sum = (x: number | null, y: number | null) => (x === null ? y : y === null ? x : x + y);
  const details = usageDetails
    .filter((name) => a[name] !== undefined || b[name] !== undefined)
    .map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)] as const);
  return {
    kind: usageKinds[worst] ?? 'unknown',
    input: sum(a.input, b.input),
    output: sum(a.output, b.output),
    ...Object.fromEntries(details),
  };
}

/** The higher, the graver. */
const gravity: Readonly<Record<Effect, number>> = { not_started: 0, none: 1, done: 2, unknown: 3 };

/** Returns the graver effect: what two pieces of work may have done together. */
export function addEffect(a: Effect, b: Effect): Effect {
  return gravity[a] >= gravity[b] ? a : b;
}
