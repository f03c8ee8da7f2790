// The limits of a configuration are merged into their defaults, and each is checked against its range.
import { describe, expect, test } from 'vitest';
import { mergeLimits } from '../../../src/core/collections/merge-limits.ts';

const defaults = { waitMs: 100, turns: 8 };
const merge = (given: object) =>
  mergeLimits(given, { path: 'limits', defaults, mayBeZero: ['waitMs'], ceilings: { turns: 16 } });

test('what is given replaces its default', () => {
  expect(merge({ turns: 16 })).toEqual({ waitMs: 100, turns: 16 });
  expect(merge({ waitMs: 0 })).toEqual({ waitMs: 0, turns: 8 });
});

describe('an error names the field and its range', () => {
  test.each([
    [{ turns: 0 }, 'limits.turns must be a whole number from 1 to 16, not 0'],
    [{ turns: 17 }, 'limits.turns must be a whole number from 1 to 16, not 17'],
    [{ waitMs: -1 }, 'limits.waitMs must be a whole number from 0 to 2147483647, not -1'],
    [{ waitMs: 1.5 }, 'limits.waitMs must be a whole number from 0 to 2147483647, not 1.5'],
    [{ waitMs: '7' }, 'limits.waitMs must be a whole number from 0 to 2147483647, not 7'],
    [{ wait: 7 }, 'limits.wait is not a limit. Known limits: waitMs, turns'],
  ])('%o', (given, message) => {
    expect(() => merge(given)).toThrow(new RangeError(message));
  });
});
