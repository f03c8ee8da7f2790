// Wraps a log: its methods call another log, except for those that a test overrides.
import type { Log } from '../../src/core/contracts/log.ts';

/** Returns a log that calls `log` for every method that is not overridden. */
export const wrapLog = (log: Log, overrides: Partial<Log>): Log => ({
  head: (session) => log.head(session),
  claim: (session, expectedEpoch, host) => log.claim(session, expectedEpoch, host),
  release: (session, epoch) => log.release(session, epoch),
  orphaned: () => log.orphaned(),
  startLease: (host, leaseMs) => log.startLease(host, leaseMs),
  renewLease: (host, leaseMs) => log.renewLease(host, leaseMs),
  endLease: (host) => log.endLease(host),
  hosts: () => log.hosts(),
  append: (session, epoch, expectedSeq, bodies) => log.append(session, epoch, expectedSeq, bodies),
  findCommand: (session, speaker, ref) => log.findCommand(session, speaker, ref),
  findMembership: (session, speaker) => log.findMembership(session, speaker),
  read: (session, afterSeq, limit) => log.read(session, afterSeq, limit),
  close: () => log.close(),
  ...(log.blobs && { blobs: log.blobs }),
  ...overrides,
});
