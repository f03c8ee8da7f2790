// The fields of objects, typed: the names of a table, a copy without what is undefined, and what a value of unknown type has.

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** The same fields: those that may be undefined are optional instead. */
export type Defined<T> = Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> };

/** Returns a copy of the fields without those that are undefined, for facts and frames: their JSON has a field or leaves it out. */
export function dropUndefined<const T extends object>(fields: T): Defined<T> {
  // the filter does what the type says
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Returns the names of a table's fields, in their order. */
export const namesOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[]; // a table is a literal: it has no field that its type does not name

/** The fields of a value of unknown type, which an endpoint has sent or a library has thrown. */
export type UntrustedFields = Readonly<Record<string, unknown>>;

/** The value's fields; none of a value that is no object. */
export function fieldsOf(value: unknown): UntrustedFields {
  // an object of any kind can be read by name: each field is unknown
  return typeof value === 'object' && value !== null ? (value as UntrustedFields) : {};
}
