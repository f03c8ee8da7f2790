// The marks by which a tool wants arguments repeated in headers: which of them are wrong.
import { expect, test } from 'vitest';
import { headerProblemOf } from '../../../src/adapters/mcp/header-arguments.ts';

const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

test.for([
  ['no mark', object({ a: { type: 'string' } })],
  ['each type', object({ a: marked('A'), b: marked('B', 'integer'), c: marked('C', 'boolean') })],
  ['a mark in an object of an object', object({ a: object({ b: marked('B') }) })],
  ['an argument of the name of the mark', object({ 'x-mcp-header': { type: 'string' } })],
  ['a mark in a value, which is no schema', object({ a: { type: 'object', default: marked('') } })],
  ['no schema at all', null],
] as const)('%s is right', ([, schema]) => {
  expect(headerProblemOf(schema)).toBeNull();
});

test.for([
  ['an empty name', object({ a: marked('') }), 'no name of a header'],
  ['a name with a blank', object({ a: marked('A b') }), 'no name of a header'],
  ['a name with a line', object({ a: marked('A\r\nB: c') }), 'no name of a header'],
  ['a name beyond ASCII', object({ a: marked('Ä') }), 'no name of a header'],
  ['no text as a name', object({ a: marked(7) }), 'no name of a header'],
  ['a number', object({ a: marked('A', 'number') }), 'neither string, integer nor boolean'],
  ['an object', object({ a: marked('A', 'object') }), 'neither string, integer nor boolean'],
  ['several types', object({ a: marked('A', ['string', 'null']) }), 'neither string, integer nor boolean'],
  ['the same name twice', object({ a: marked('A'), b: object({ c: marked('a') }) }), 'two of its arguments'],
  ['the root', marked('A', 'object'), 'outside of the properties'],
  ['elements of a list', object({ a: { type: 'array', items: marked('A') } }), 'outside of the properties'],
  ['a choice', object({}, { oneOf: [object({ a: marked('A') })] }), 'outside of the properties'],
  ['a definition', object({}, { $defs: { a: marked('A') } }), 'outside of the properties'],
  ['a property of an element', object({ a: { items: object({ b: marked('B') }) } }), 'outside of the properties'],
] as const)('a mark on %s is wrong', ([, schema, problem]) => {
  expect(headerProblemOf(schema)).toContain(problem);
});
