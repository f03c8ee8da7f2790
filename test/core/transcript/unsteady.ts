// A log that fails on demand: before it writes, after it has written, or by never replying.
import { type Log, StoreFailed } from '../../../src/core/contracts/log.ts';
import { wrapLog } from '../../support/wrap-log.ts';

export type Mood = 'well' | 'refuses' | 'writes, and its answer is lost' | 'says nothing';

export interface Unsteady extends Log {
  mood: Mood;
  /** What each append was asked to write, and how many were under way with it. */
  readonly asked: { readonly expectedSeq: number; readonly types: readonly string[]; readonly together: number }[];
}

export function unsteady(log: Log): Unsteady {
  let underWay = 0;
  const overrides: Partial<Log> = {
    async head(session) {
      if (self.mood === 'says nothing') return new Promise(() => {});
      if (self.mood === 'refuses') throw new StoreFailed('The disk is gone.');
      return log.head(session);
    },
    async append(session, epoch, expectedSeq, bodies) {
      underWay++;
      self.asked.push({ expectedSeq, types: bodies.map(({ type }) => type), together: underWay });
      try {
        if (self.mood === 'says nothing') return await new Promise<number>(() => {});
        if (self.mood === 'refuses') throw new StoreFailed('The disk is gone.');
        await new Promise((resolve) => setImmediate(resolve)); // as a disk: never in the same tick
        const last = await log.append(session, epoch, expectedSeq, bodies);
        if (self.mood !== 'well') throw new StoreFailed('The disk went while it wrote.');
        return last;
      } finally {
        underWay--;
      }
    },
  };
  const self: Unsteady = Object.assign(wrapLog(log, overrides), { mood: 'well' as Mood, asked: [] });
  return self;
}
