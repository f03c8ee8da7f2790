// Waits for a condition, with a timeout. Tests wait for real sockets and processes by this function only.
// A condition that costs time (a process table, a query) is asked less often, so that the waiting does not slow what it waits for.
import { setTimeout as pause } from 'node:timers/promises';
import { scaled } from './time-scale.ts';

/** From one look at a condition to the next, in milliseconds: most of the time is left to what is waited for. */
const shortestPauseMs = 5;
const longestPauseMs = 100;
const pausePerCost = 4;

/** Resolves with the first value of `condition` that is neither false, null nor undefined; fails after `ms` (5 000) of a quiet machine, naming `what`. */
export async function until<T>(
  condition: () => T | Promise<T>,
  { ms = 5_000, what = 'the condition' }: { ms?: number; what?: string } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const patience = scaled(ms);
  const giveUp = performance.now() + patience;
  for (;;) {
    const asked = performance.now();
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > giveUp) throw new Error(`waited ${patience} ms for ${what}`);
    const cost = performance.now() - asked;
    await pause(Math.min(longestPauseMs, Math.max(shortestPauseMs, pausePerCost * cost)));
  }
}
