// The real sources: the machine's clock, its timers, its randomness.
import { randomInt } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLag, type Lag } from './event-loop-lag.ts';
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

const lagEveryMs = 20;
const lagWindowMs = 60_000;

const delays = monitorEventLoopDelay({ resolution: lagEveryMs });
delays.enable();
const lag = createLag(delays, lagEveryMs);
setInterval(lag.turn, lagWindowMs).unref();

/** How late this process has run its timers in the last minute or two: the sign of code that blocks the event loop. */
export const loopLag = (): Lag => lag.read();

/** Keeps the process alive until the returned function is called: the clock's own timers do not. */
export function keepAlive(): Disarm {
  const timer = setInterval(() => {}, longestMs);
  return () => clearInterval(timer);
}
