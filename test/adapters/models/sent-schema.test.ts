// The schemas of tools as they are sent: without what some endpoints refuse at the top, with all the properties.
import { expect, test } from 'vitest';
import { sentSchema } from '../../../src/adapters/models/sent-schema.ts';

test('a schema without alternatives at its top is sent as it is', () => {
  const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  expect(sentSchema(schema)).toBe(schema);
});

test('of alternatives all properties are sent, and required is what each of them requires [model.any]', () => {
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    description: 'by name or number',
    properties: { kind: text },
    additionalProperties: false,
    oneOf: [
      { properties: { name: text, value: text }, required: ['name', 'kind'] },
      { properties: { number: { type: 'integer' }, value: { type: 'integer' } }, required: ['number', 'kind'] },
    ],
    allOf: [{ properties: { where: text }, required: ['where'] }],
  };
  expect(sentSchema(schema)).toEqual({
    type: 'object',
    description: 'by name or number',
    properties: {
      kind: text,
      where: text,
      name: text,
      value: { anyOf: [text, { type: 'integer' }] },
      number: { type: 'integer' },
    },
    required: ['where', 'kind'],
  });
});

test('an alternative that is defined elsewhere in the schema is read there [model.any]', () => {
  const $defs = { byName: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } };
  expect(sentSchema({ anyOf: [{ $ref: '#/$defs/byName' }], $defs })).toEqual({
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    $defs,
  });
});

test.each([{ anyOf: [] }, { anyOf: 'x' }, { oneOf: [null, 3], properties: 7 }, { enum: [1] }, { not: {} }])(
  '%j is sent as an object',
  (schema) => {
    expect(sentSchema(schema)).toEqual({ type: 'object', properties: {}, required: [] });
  },
);
