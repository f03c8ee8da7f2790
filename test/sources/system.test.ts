// The machine's own clock.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemSources } from '../../src/sources/system.ts';

const day = 86_400_000;
const { clock } = systemSources;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a wait that is longer than a timer can be takes its time, and can be ended at any of its steps [tool.timeout]', () => {
  const fired: string[] = [];
  clock.after(30 * day, () => fired.push('after a month'));
  const disarm = clock.after(60 * day, () => fired.push('after two'));
  vi.advanceTimersByTime(30 * day - 1);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(fired).toEqual(['after a month']);
  disarm();
  vi.advanceTimersByTime(60 * day);
  expect(fired).toEqual(['after a month']);
  expect(vi.getTimerCount()).toBe(0);
});
