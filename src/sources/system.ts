// The real sources: the machine's clock, its timers, its randomness.
import { randomInt } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Disarm, Sources } from './sources.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** One timer waits no longer than this; what is longer takes several. */
const longestMs = 2_147_483_647;

const idLength = 12; // 60 bits: a collision is not to be expected within 10^8 ids

export const systemSources: Sources = {
  clock: {
    now: () => Date.now(),
    after(ms, fn) {
      let timer: NodeJS.Timeout;
      const arm = (leftMs: number) => {
        const stepMs = Math.min(leftMs, longestMs);
        timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : fn()), stepMs);
        timer.unref();
      };
      arm(ms);
      return () => clearTimeout(timer);
    },
  },
  ids(prefix) {
    let id = `${prefix}_`;
    for (let i = 0; i < idLength; i++) id += alphabet[randomInt(alphabet.length)];
    return id;
  },
  random: () => Math.random(),
};

const delays = monitorEventLoopDelay({ resolution: 20 });
delays.enable();
const nsPerMs = 1_000_000;
const inMs = (ns: number) => (Number.isFinite(ns) ? Math.round(ns / nsPerMs) : 0);

/** How late this process runs its timers, in milliseconds, since it started: the sign of code that blocks the event loop. */
export const loopLag = (): { readonly lagMs: number; readonly worstLagMs: number } => ({
  lagMs: inMs(delays.mean),
  worstLagMs: inMs(delays.max),
});

/** Keeps the process alive until the returned function is called: the clock's own timers do not. */
export function keepAlive(): Disarm {
  const timer = setInterval(() => {}, longestMs);
  return () => clearInterval(timer);
}
