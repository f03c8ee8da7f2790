// Waits for a condition, with a timeout. Tests wait for real sockets and processes by this function only.
import { setTimeout as pause } from 'node:timers/promises';
import { scaled } from './time-scale.ts';

/** Resolves with the first value of `condition` that is neither false, null nor undefined; fails after `ms` (5 000) of a quiet machine, naming `what`. */
export async function until<T>(
  condition: () => T | Promise<T>,
  { ms = 5_000, what = 'the condition' }: { ms?: number; what?: string } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const patience = scaled(ms);
  const giveUp = performance.now() + patience;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > giveUp) throw new Error(`waited ${patience} ms for ${what}`);
    await pause(5);
  }
}
