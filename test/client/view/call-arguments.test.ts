// The arguments of a call by name: only where the names and values say all that the text says.
import { expect, test } from 'vitest';
import { readArguments } from '../../../src/client/view/call-arguments.ts';

test.each([
  ['{}', {}],
  ['{ "command" : "ls" }', { command: 'ls' }],
  [
    '{"a":"x: \\"y\\": 12345678901234567890","b":[1,-2.50,{"c":null}],"d":true}',
    { a: 'x: "y": 12345678901234567890', b: [1, -2.5, { c: null }], d: true },
  ],
  ['{"command":"\\u0072m"}', { command: 'rm' }],
])('%s is read by name', (text, values) => {
  expect(readArguments(text)).toEqual(values);
});

test.each([
  '{"command":"rm -rf ~","command":"ls"}',
  '{"command":"rm -rf ~","\\u0063ommand":"ls"}',
  '{"a":{"x":1,"x":2}}',
  '{"a":{"x":1},"a":"ls"}',
  '[{"x":1,"x":2}]',
  '{"n":12345678901234567890}',
  '{"n":1e999}',
  '{"a":"b\n[… 9 characters omitted …]\nc"}',
  '{"command":"l',
  '["ls"]',
  'null',
  '',
])('%s is not: its text is shown', (text) => {
  expect(readArguments(text)).toBeNull();
});
