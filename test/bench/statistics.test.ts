// The arithmetic behind every figure of the benchmarks.
import { describe, expect, test } from 'vitest';
import { median, quantile, rotate, summarizeRatios } from '../../bench/stand/statistics.ts';

describe('statistics', () => {
  test('a rank lies between its neighbors in proportion, whatever the order of the values', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0.25)).toBe(20);
    expect(quantile([0, 10], 0.95)).toBeCloseTo(9.5);
    expect(quantile([7], 0.95)).toBe(7);
    expect(median([])).toBeNaN();
  });

  test('a ratio is taken within each round: a slow minute of the machine does not move it', () => {
    const floor = [1, 1, 10, 10, 1];
    const twice = floor.map((value) => 2 * value);
    expect(summarizeRatios(twice, floor)).toEqual({ median: 2, low: 2, high: 2 });
    expect(summarizeRatios([1, 2, 3], [1, 1, 1])).toEqual({ median: 2, low: 1.5, high: 2.5 });
    expect(() => summarizeRatios([1, 2], [1])).toThrow(RangeError);
  });

  test('everybody is first once', () => {
    const list = ['a', 'b', 'c'];
    expect([0, 1, 2, 3].map((round) => rotate(list, round)[0])).toEqual(['a', 'b', 'c', 'a']);
    expect(rotate(list, 1)).toEqual(['b', 'c', 'a']);
  });
});
