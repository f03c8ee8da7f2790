// Counts the time of a budget, for work whose end the event loop reads: while that stands still, no end can be read.
//
// 1. A gap of the event loop counts as 250 ms at most. After three budgets of real time the budget is over all the same.
// 2. When it is over, the event loop first reads what has happened.
import { afterTurns } from '../sources/loop-turns.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm } from '../sources/sources.ts';

/** Milliseconds between two readings of the clock: a gap is measured as exactly as that. */
const stepMs = 50;
const longestGapMs = 250;
const longestInBudgets = 3;

/** Runs `fn` once, when `ms` milliseconds have counted. */
export function afterBudget(clock: Clock, ms: number, fn: () => void): Disarm {
  const startedAt = clock.elapsed();
  let disarm: Disarm;
  const count = (countedMs: number) => {
    const steppedAt = clock.elapsed();
    const leftMs = Math.min(ms - countedMs, longestInBudgets * ms - msSince(clock, startedAt));
    const next = () => count(countedMs + Math.min(msSince(clock, steppedAt), longestGapMs));
    disarm = leftMs > 0 ? clock.after(Math.min(leftMs, stepMs), next) : afterTurns(clock, fn);
  };
  count(0);
  return () => disarm();
}
