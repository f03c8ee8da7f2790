// Brings a session back from the store: claims it, ends the processes that a dead host left, and closes what was open.
import type { Fact, Recorded } from '../../machines/facts.ts';
import { abandonedEnded } from '../../machines/late-facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import type { Journal } from '../transcript/journal.ts';
import type { Log } from '../transcript/log.ts';
import { claimSession } from './claim-session.ts';
import type { SessionSpec } from './session-spec.ts';

/** Keeps something of the facts of an earlier life. */
interface Replayed {
  add(facts: readonly Recorded[]): void;
}

/** Ends processes that a dead host left; resolves with the calls of which something was alive and has ended. */
export type TerminateLeftoverProcesses = (
  calls: readonly NodeId[],
  facts: readonly Fact[],
) => Promise<readonly NodeId[]>;

export interface RecoveryParts {
  readonly session: string;
  readonly spec: SessionSpec;
  readonly log: Log;
  /** The name of this host in the store. */
  readonly host: string;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Get the facts of earlier lives before anything is appended. */
  readonly replayed: readonly Replayed[];
  readonly terminateLeftoverProcesses: TerminateLeftoverProcesses;
}

/** Resolves when the closing facts have committed. Rejects when the store fails or another host claims the session. */
export async function recoverSession(parts: RecoveryParts): Promise<void> {
  const { session, spec, log, host, clock, journal, replayed, terminateLeftoverProcesses } = parts;
  const claimed = await claimSession(log, session, host, clock.now());
  journal.open(claimed.epoch, claimed.last);
  for (const part of replayed) part.add(claimed.facts);
  const first: Fact[] = claimed.last === 0 ? [{ type: 'session_opened', kind: spec.kind, policy: spec.policy }] : [];
  const ended = await terminateLeftoverProcesses(claimed.unfinished, claimed.facts);
  const reported = new Set(claimed.missing.flatMap((fact) => (fact.type === 'abandoned_ended' ? fact.node : [])));
  const late = ended.filter((node) => !reported.has(node)).map((node) => abandonedEnded(node));
  await journal.append([...first, ...claimed.missing, ...late]);
}
