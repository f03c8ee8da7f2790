// Wraps a log: its methods call another log, except for those that a test overrides.
import type { Log } from '../../src/transcript/log.ts';

/** Returns a log that calls `log` for every method that is not overridden. */
export const wrapLog = (log: Log, overrides: Partial<Log>): Log => ({
  head: (session) => log.head(session),
  claim: (session, expectedEpoch, holder) => log.claim(session, expectedEpoch, holder),
  release: (session, epoch) => log.release(session, epoch),
  held: () => log.held(),
  append: (session, epoch, expectedSeq, bodies) => log.append(session, epoch, expectedSeq, bodies),
  findCommand: (session, speaker, ref) => log.findCommand(session, speaker, ref),
  read: (session, afterSeq, limit) => log.read(session, afterSeq, limit),
  close: () => log.close(),
  ...overrides,
});
