// Fields by which a client of OpenAI's API asks for what is not done here. Null, false and empty ask for nothing.
import { fieldsOf } from '../../core/collections/fields.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';

export interface RefusedField {
  readonly field: string;
  isAsked(value: unknown): boolean;
  readonly why: string;
}

/** Whether it is a list with something in it. */
export const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
/** Whether there is a value. */
export const isThere = (value: unknown): boolean => value !== undefined && value !== null;
/** Whether a format of answers is another than text. */
export const isNotText = (value: unknown): boolean => isThere(value) && fieldsOf(value)['type'] !== 'text';

/** Throws an `HttpProblem` if one of the fields is asked for. */
export function assertNoneAsked(request: object, refused: readonly RefusedField[]): void {
  const fields = fieldsOf(request);
  const found = refused.find(({ field, isAsked }) => isAsked(fields[field]));
  if (found)
    throw new HttpProblem('bad_field', {
      field: found.field,
      message: `The field "${found.field}" cannot be used here: ${found.why}.`,
    });
}
