// A log that holds an append back until it is released, so that a test can cancel in a phase that waits for a commit.
import type { Log } from '../../src/core/contracts/log.ts';
import { wrapLog } from './wrap-log.ts';

export interface Hold {
  readonly wrap: (log: Log) => Log;
  /** Resolves when the append was requested. */
  readonly reached: Promise<void>;
  release(): void;
}

/** Holds the first append whose fact types pass `matches`. */
export function holdAppend(matches: (types: readonly string[]) => boolean): Hold {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let state: 'waiting' | 'met' = 'waiting';
  return {
    wrap: (log) =>
      wrapLog(log, {
        async append(session, epoch, expectedSeq, bodies) {
          if (state === 'waiting' && matches(bodies.map(({ type }) => type))) {
            state = 'met';
            reached.resolve();
            await released.promise;
          }
          return log.append(session, epoch, expectedSeq, bodies);
        },
      }),
    reached: reached.promise,
    release: released.resolve,
  };
}
