// Brings a session back from the store: claims it, terminates the processes that a dead host left, and closes the open turns and calls.
import { isDeepStrictEqual } from 'node:util';
import type { Fact, OpeningOptions, SequencedFact } from '../../../machines/facts.ts';
import { abandonedEnded } from '../../../machines/late-facts.ts';
import { defaultResumePhrases, type NodeId, type SpeakerId } from '../../../machines/vocabulary.ts';
import { HeldElsewhere, type Log } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';
import type { Clock } from '../sources/sources.ts';
import type { Journal } from '../transcript/journal.ts';
import { claimSession } from './claim-session.ts';
import type { SessionSpec } from './session-spec.ts';

/** A part of a session that builds its state from facts. */
export interface FactReader {
  add(events: readonly SequencedFact[]): void;
}

/** Terminates the processes that a dead host left. Resolves with the calls whose processes were alive and have ended. */
export type TerminateLeftoverProcesses = (
  calls: readonly NodeId[],
  facts: readonly Fact[],
) => Promise<readonly NodeId[]>;

/** How a session is opened. */
export interface SessionOpening {
  /** The owner of the session if it is new; null: it has none, because a program opens it. */
  readonly openedBy: SpeakerId | null;
  /** What it was, or is, opened with; null: nothing. */
  readonly options: OpeningOptions | null;
}

export interface RecoveryParts extends SessionOpening {
  readonly session: string;
  readonly spec: SessionSpec;
  readonly log: Log;
  readonly processes: Processes;
  /** Resolves with the id of this host in the store, while its lease runs. */
  readonly holdLease: () => Promise<string>;
  readonly clock: Clock;
  readonly journal: Journal;
  /** The parts that receive the facts of earlier lives, before anything is appended. */
  readonly replayed: readonly FactReader[];
  readonly terminateLeftoverProcesses: TerminateLeftoverProcesses;
  /** Called after the commit. `turns`: how many turns were closed; null: nothing was open. */
  readonly onRecovered: (turns: number | null) => void;
}

/** Recovers a session. Resolves when the closing facts have committed. Rejects when the store fails or another host holds the session. */
export async function recoverSession(parts: RecoveryParts): Promise<void> {
  const { session, spec, openedBy, options, log, processes, clock, journal, replayed, terminateLeftoverProcesses } =
    parts;
  const host = await parts.holdLease();
  const claimed = await claimSession({ log, processes, session, host, now: clock.now() });
  const { events, lastSeq, closingFacts, unfinishedCalls } = claimed;
  const facts = events.map(({ fact }) => fact);
  assertOptionsCount(session, lastSeq === 0, options, facts);
  journal.open(claimed.epoch, lastSeq);
  for (const part of replayed) part.add(events);
  const { kind, policy, resumePhrases = defaultResumePhrases } = spec;
  const opened: Fact = { type: 'session_opened', kind, policy, by: openedBy, resumePhrases };
  const configured: readonly Fact[] = options ? [{ type: 'session_configured', options }] : [];
  const opening = lastSeq === 0 ? [opened, ...configured] : [];
  const terminated = await terminateLeftoverProcesses(unfinishedCalls, facts);
  // a call whose turn was left open may have its end among the closing facts
  const reported = new Set(closingFacts.flatMap((fact) => (fact.type === 'abandoned_ended' ? fact.node : [])));
  const ends = terminated.filter((node) => !reported.has(node)).map((node) => abandonedEnded(node));
  await journal.append([...opening, ...closingFacts, ...ends]);
  const recovered = closingFacts.find((fact) => fact.type === 'session_recovered');
  parts.onRecovered(recovered?.turns.length ?? null);
}

/** Its tools and rules were made from these options before it was claimed: another host may have opened it meanwhile. */
function assertOptionsCount(
  session: string,
  isNew: boolean,
  options: OpeningOptions | null,
  facts: readonly Fact[],
): void {
  const stored = facts.find((fact) => fact.type === 'session_configured')?.options ?? null;
  if (!isNew && !isDeepStrictEqual(stored, options)) throw new HeldElsewhere(session);
}
