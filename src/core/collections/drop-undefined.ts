// Drops the fields that are undefined, for facts and frames: their JSON has a field or leaves it out.

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** The same fields: those that may be undefined are optional instead. */
export type Defined<T> = Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> };

/** Returns a copy of the fields without those that are undefined. */
export function dropUndefined<const T extends object>(fields: T): Defined<T> {
  // the filter does what the type says
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
