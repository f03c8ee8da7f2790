// Merges the limits of a configuration into their defaults. Each limit is a whole number within its range.
import { namesOf } from './fields.ts';

/** The ceiling of a limit that has no other: the longest delay of a timer, in milliseconds. */
const maxLimit = 2_147_483_647;

export interface LimitRules<T> {
  /** The place of the limits in the configuration, for errors. */
  readonly path: string;
  readonly defaults: T;
  readonly mayBeZero: readonly (keyof T)[];
  readonly ceilings?: Partial<Record<keyof T, number>> | undefined;
}

/** Returns the defaults with the given limits. Throws a RangeError that names the field and its range. */
export function mergeLimits<T extends { readonly [Name in keyof T]: number }>(
  given: Partial<T>,
  { path, defaults, mayBeZero, ceilings = {} }: LimitRules<T>,
): T {
  const limits = { ...defaults, ...given };
  for (const name of namesOf(limits)) {
    const field = `${path}.${String(name)}`;
    if (!(name in defaults))
      throw new RangeError(`${field} is not a limit. Known limits: ${Object.keys(defaults).join(', ')}`);
    const value = limits[name];
    const least = mayBeZero.includes(name) ? 0 : 1;
    const most = ceilings[name] ?? maxLimit;
    if (!Number.isInteger(value) || value < least || value > most)
      throw new RangeError(`${field} must be a whole number from ${least} to ${most}, not ${value}`);
  }
  return limits;
}
