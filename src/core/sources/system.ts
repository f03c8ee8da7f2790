// The sources of a running process: the machine's clock, timers and randomness.
import { randomBytes, randomInt } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { EventLoopLag, type LagReading } from './event-loop-lag.ts';
import { afterTurns } from './loop-turns.ts';
import { monotonicTime } from './monotonic-time.ts';
import type { Clock, Disarm, Sources } from './sources.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** The longest delay of one timer; a longer wait takes several timers. */
const longestMs = 2_147_483_647;
/**
 * A timer that is later than this finds a process that was suspended, or blocked. It waits until the event loop has read what has happened
 * meanwhile: a wait would be over before the event that it was for.
 */
const gapMs = 250;

const idLength = 12; // 60 bits: 10^8 ids have a chance of collision below 1 %

export const systemSources: Sources = {
  clock: {
    now: () => Date.now(),
    elapsed: () => monotonicTime(Math.floor(performance.now())),
    after(ms, fn) {
      let disarm: Disarm;
      const dueAt = performance.now() + ms;
      const runOnTime = () => {
        const isLate = ms > 0 && performance.now() - dueAt > gapMs; // one of 0 ms waits for a turn of the loop, and for no time
        if (isLate) disarm = afterTurns(systemSources.clock, fn);
        else fn();
      };
      const arm = (leftMs: number) => {
        const stepMs = Math.min(leftMs, longestMs);
        const timer = setTimeout(leftMs > stepMs ? () => arm(leftMs - stepMs) : runOnTime, stepMs).unref();
        disarm = () => clearTimeout(timer);
      };
      arm(ms);
      return () => disarm();
    },
    afterPoll: setImmediate,
    afterPromises: (fn) => queueMicrotask(() => process.nextTick(fn)), // which waits until no microtask is left
  },
  ids(prefix) {
    let id = `${prefix}_`;
    for (let i = 0; i < idLength; i++) id += alphabet[randomInt(alphabet.length)];
    return id;
  },
  random: () => Math.random(),
};

/** Resolves with the clock of the system, with the time of day in parts of a millisecond: for what is shown. */
export async function loadFineClock(): Promise<Clock> {
  const { createFineClock } = await import('./fine-clock.ts');
  return { ...systemSources.clock, ...createFineClock({ coarse: () => Date.now(), running: () => performance.now() }) };
}

const secretBytes = 24;

/** Returns a random secret, whose characters may stand in an address. */
export const createSecret = (): string => randomBytes(secretBytes).toString('base64url');

const lagEveryMs = 20;
const lagWindowMs = 60_000;

function startLagMonitor(): EventLoopLag {
  const delays = monitorEventLoopDelay({ resolution: lagEveryMs });
  delays.enable();
  const lag = new EventLoopLag(delays, lagEveryMs);
  setInterval(() => lag.startWindow(), lagWindowMs).unref();
  return lag;
}

let lag: EventLoopLag | undefined;

/**
 * How late this process has run its timers in the last minute or two: the sign of code that blocks the event loop. The measurement starts with
 * the first call, which returns zeros.
 */
export function readEventLoopLag(): LagReading {
  lag ??= startLagMonitor();
  return lag.read();
}

/** Keeps the process alive until the returned function is called; the clock's own timers do not. */
export function keepAlive(): Disarm {
  const timer = setInterval(() => {}, longestMs);
  return () => clearInterval(timer);
}

/** Keeps the process alive until the work settles, and settles as the work does. Under another clock than the system's it keeps nothing alive. */
export function keepingAlive<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const release = clock === systemSources.clock ? keepAlive() : () => {};
  return work().finally(release);
}
