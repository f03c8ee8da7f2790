// Facts with values that JSON cannot hold are written all the same.
import { expect, test } from 'vitest';
import { writable } from '../../../src/core/transcript/journal.ts';

test('a fact is itself; a field that cannot be written has a note in its place [store.durable]', () => {
  const good = { type: 'x', list: [1, null, { a: 'b' }], none: undefined };
  expect(writable(good)).toBe(good);
  const circular: { self?: unknown } = {};
  circular.self = circular;
  expect(writable({ type: 'x', big: 10n, round: circular, text: 'kept' })).toEqual({
    type: 'x',
    big: '[not writable]',
    round: '[not writable]',
    text: 'kept',
  });
});
