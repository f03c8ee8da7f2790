// Counts with moments of the clock that does not step.
import type { Clock, MonotonicTime } from './sources.ts';

/** Returns the moment `ms` milliseconds after the start of a clock: for those who make one. */
export const monotonicTime = (ms: number): MonotonicTime => ms as unknown as MonotonicTime;

/** Returns the moment `ms` milliseconds after another one. */
export const addMs = (time: MonotonicTime, ms: number): MonotonicTime => monotonicTime(Number(time) + ms);

/** Returns the milliseconds from one moment to another; below zero if the other one is earlier. */
export const msBetween = (from: MonotonicTime, to: MonotonicTime): number => Number(to) - Number(from);

/** Returns the milliseconds from a moment to the present; below zero if it is to come. */
export const msSince = (clock: Pick<Clock, 'elapsed'>, from: MonotonicTime): number => msBetween(from, clock.elapsed());

/** Returns the milliseconds from the present to a moment; 0 or less if it is over. */
export const msUntil = (clock: Pick<Clock, 'elapsed'>, to: MonotonicTime): number => msBetween(clock.elapsed(), to);
