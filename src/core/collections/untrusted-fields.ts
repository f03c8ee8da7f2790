// Reads the fields of a value of unknown type, which an endpoint has sent or a library has thrown.

export type UntrustedFields = Readonly<Record<string, unknown>>;

/** The value's fields; none of a value that is no object. */
export function fieldsOf(value: unknown): UntrustedFields {
  // an object of any kind can be read by name: each field is unknown
  return typeof value === 'object' && value !== null ? (value as UntrustedFields) : {};
}
