// The real sources: the machine's clock, its timers, its randomness.
import { randomInt } from 'node:crypto';
import type { Sources } from './sources.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 12; // 60 bits: a collision is not to be expected within 10^8 ids

export const systemSources: Sources = {
  clock: {
    now: () => Date.now(),
    after(ms, fn) {
      const timer = setTimeout(fn, ms);
      timer.unref();
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
