// The machine's own clock.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { systemSources } from '../../../src/core/sources/system.ts';

const day = 86_400_000;
const { clock } = systemSources;

afterEach(() => void vi.useRealTimers());

test('a wait that is longer than a timer can be takes its time, and can be ended at any of its steps [tool.timeout]', () => {
  vi.useFakeTimers();
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

test('a timer that runs late, because the process was suspended or blocked, runs after what has happened meanwhile was read [cancel.bounded]', async () => {
  const order: string[] = [];
  const child = spawn('true', { stdio: 'ignore' });
  const exit = once(child, 'exit').then(() => order.push('exit'));
  const late = new Promise<void>((resolve) => void clock.after(100, resolve)).then(() => order.push('timer'));
  const disarm = clock.after(100, () => order.push('disarmed'));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500); // the child ends, and the loop stands still
  clock.after(1, () => disarm()); // between the lateness of the timers and their run
  await Promise.all([exit, late]);
  expect(order).toEqual(['exit', 'timer']);
});
