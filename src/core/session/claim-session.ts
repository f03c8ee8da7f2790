// Claims a session in the store, and finds what a dead host left open in its log.
import type { Fact, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { Fenced, HeldElsewhere, type Log } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';
import { type RecordedEnd, readEnd } from '../receipt/receipt.ts';
import { recover } from '../transcript/recover.ts';
import { endLeasesOfDeadHosts } from './dead-holders.ts';
import { readAllFacts } from './read-log.ts';

export interface ClaimedSession {
  readonly epoch: number;
  /** The sequence number of the last fact; 0: the session is new. */
  readonly lastSeq: number;
  /** All facts of the log. */
  readonly events: readonly SequencedFact[];
  /** The facts that recovery has to append: they close the turns and calls that are open. */
  readonly closingFacts: readonly Fact[];
  /** Calls that had started and have no result: their processes may be alive. */
  readonly unfinishedCalls: readonly NodeId[];
}

export interface ClaimOptions {
  readonly log: Log;
  readonly processes: Processes;
  readonly session: string;
  /** The id of the host that claims it. */
  readonly host: string;
  /** The time of the closing facts, in milliseconds since 1970. */
  readonly now: number;
}

/** Claims a session for a host, and reads its log. Rejects with `HeldElsewhere` when another host holds it, or claims it meanwhile. */
export async function claimSession(options: ClaimOptions): Promise<ClaimedSession> {
  const { log, session, now } = options;
  const epoch = await claim(options);
  const events = await readAllFacts(log, session);
  const facts = events.map(({ fact }) => fact);
  return {
    epoch,
    lastSeq: events.at(-1)?.seq ?? 0,
    events,
    closingFacts: recover(facts, now),
    unfinishedCalls: findUnfinishedCalls(facts),
  };
}

/** Resolves with the epoch. */
async function claim({ log, processes, session, host }: ClaimOptions): Promise<number> {
  const attempt = async () => log.claim(session, (await log.head(session)).epoch, host);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof Fenced) throw new HeldElsewhere(session, { cause: error });
    if (!(error instanceof HeldElsewhere) || !(await endLeasesOfDeadHosts(log, processes))) throw error;
    return await attempt();
  }
}

/** A call that was abandoned may still be running after its end. */
function endOfWork(fact: RecordedFact): RecordedEnd | null {
  const end = readEnd(fact);
  return end?.outcome === 'abandoned' ? null : end;
}

function findUnfinishedCalls(facts: readonly RecordedFact[]): readonly NodeId[] {
  const unfinished = new Set<NodeId>();
  for (const fact of facts) {
    if (fact.type === 'tool_started') unfinished.add(fact.node);
    const end = fact.type === 'abandoned_ended' ? fact : endOfWork(fact);
    if (end) unfinished.delete(end.node);
  }
  return [...unfinished];
}
