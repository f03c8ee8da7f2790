// Slips of the keyboard in a stop word.
import { expect, test } from 'vitest';
import { slipsOf } from '../../../src/core/intent/slips.ts';

test('a slip is a letter that changes places with the next, or stands once too early; the first letter stays', () => {
  expect(slipsOf('stop')).toEqual(['sotp', 'sotop', 'stpo', 'stpop']);
});

test('a short word, one of other letters and a slip that is another word have none', () => {
  expect(slipsOf('hör')).toEqual([]);
  expect(slipsOf('ach')).toEqual([]);
  expect(slipsOf('停下来吧')).toEqual([]);
  expect(slipsOf('from')).toEqual(['forom', 'frmo', 'frmom']);
});
