// Anything that is thrown has a text of limited length.
import { expect, test } from 'vitest';
import { errorText } from '../../../src/core/text/error-text.ts';

const throwing = {
  toString() {
    throw new Error('no');
  },
};

test.each([
  [new Error('it broke'), 'it broke'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [42, '42'],
  [Object.assign(new Error('x'), { message: 7 }), '7'],
  [Object.create(null), 'something that has no text'],
  [throwing, 'something that has no text'],
  [Object.defineProperty(new Error('x'), 'message', { get: throwing.toString }), 'something that has no text'],
])('case %#', (thrown, text) => {
  expect(errorText(thrown)).toBe(text);
});

test('a long message is cut', () => {
  expect(errorText(new Error('x'.repeat(5_000)))).toBe(`${'x'.repeat(2_000)}…`);
});
