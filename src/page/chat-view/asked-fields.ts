// Reads the schema of a question: the values that it asks for, and how typed texts become them.
import type { AnswerValues } from '../../client/answer-options.ts';

/** A value that is asked for. `list`: several texts, with commas between them. */
export interface AskedField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list';
  /** The answers to choose from; empty: any text is one. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly initial: string;
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the fields of a JSON Schema of an object, in its order. */
export function askedFields(schema: Schema): readonly AskedField[] {
  const { properties, required } = schema;
  if (!isSchema(properties)) return [];
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => fieldOf(name, isSchema(property) ? property : {}, names));
}

function fieldOf(name: string, property: Schema, required: readonly unknown[]): AskedField {
  const { type, title, description, enum: values, default: initial } = property;
  const kind = type === 'number' || type === 'integer' ? 'number' : type === 'array' ? 'list' : 'text';
  const isBoolean = type === 'boolean';
  return {
    name,
    title: textOf(title) || name,
    description: textOf(description),
    kind: isBoolean ? 'boolean' : kind,
    choices: isBoolean ? ['yes', 'no'] : Array.isArray(values) ? values.map(String) : [],
    isRequired: required.includes(name),
    initial:
      isBoolean && initial !== undefined ? (initial ? 'yes' : 'no') : initial === undefined ? '' : String(initial),
  };
}

/** Returns the values of the texts, by name. A field without a text is left out. */
export function valuesOf(fields: readonly AskedField[], texts: Readonly<Record<string, string>>): AnswerValues {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, initial }) => {
      const text = texts[name] ?? initial;
      return text === '' ? [] : [[name, typedValue(kind, text)]];
    }),
  );
}

function typedValue(kind: AskedField['kind'], text: string): AnswerValues[string] {
  switch (kind) {
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'yes';
    case 'list':
      return text
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');
    case 'text':
      return text;
  }
}
