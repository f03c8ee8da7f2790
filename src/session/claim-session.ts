// Claims a session in the store, and finds what a dead process left open in its log.
import type { Fact, Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Log, LoggedEvent } from '../transcript/log.ts';
import { recover } from '../transcript/recover.ts';
import { ReceiptIndex } from './receipt-index.ts';

const pageSize = 2_000;

export interface Claimed {
  readonly epoch: number;
  /** The sequence number of the last fact. */
  readonly last: number;
  /** All facts of the log. */
  readonly facts: readonly Recorded[];
  /** The facts that recovery has to append. */
  readonly missing: readonly Fact[];
  /** Calls that had started and have no result: their processes may be alive. */
  readonly unfinished: readonly NodeId[];
}

/** Claims a session for a host. `now` dates what recovery closes. Rejects with `Fenced` when another host claims it meanwhile. */
export async function claimSession(log: Log, session: string, host: string, now: number): Promise<Claimed> {
  const { epoch: before } = await log.head(session);
  const epoch = await log.claim(session, before, host);
  const events: LoggedEvent[] = [];
  for await (const page of pagesOf(log, session)) events.push(...page);
  const facts = events.map(factOf);
  return { epoch, last: events.at(-1)?.seq ?? 0, facts, missing: recover(facts, now), unfinished: unfinishedIn(facts) };
}

/** Reads an index of everything that a session has ever had, for lookups that the one in memory cannot answer any more. */
export async function readIndex(log: Log, session: string): Promise<ReceiptIndex> {
  const index = new ReceiptIndex(Number.POSITIVE_INFINITY);
  for await (const page of pagesOf(log, session)) index.add(page.map(factOf));
  return index;
}

/** The log of a session holds what its journal has written. */
const factOf = ({ body }: LoggedEvent) => body as Recorded;

async function* pagesOf(log: Log, session: string): AsyncGenerator<readonly LoggedEvent[]> {
  for (let seq = 0; ; ) {
    const page = await log.read(session, seq, pageSize);
    yield page;
    if (page.length < pageSize) return;
    seq = page.at(-1)?.seq ?? seq;
  }
}

function unfinishedIn(facts: readonly Recorded[]): readonly NodeId[] {
  const open = new Set<NodeId>();
  for (const fact of facts) {
    if (fact.type === 'tool_started') open.add(fact.node);
    if (fact.type === 'tool_result' && fact.outcome !== 'abandoned' && fact.outcome !== 'continues')
      open.delete(fact.node);
    if (fact.type === 'late_result' || fact.type === 'abandoned_ended') open.delete(fact.node);
  }
  return [...open];
}
