// Takes a session from the store: claims it, closes what a dead process left open, and gives back its journal.
import type { Fact, Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Log, LoggedEvent } from '../transcript/log.ts';
import { recover } from '../transcript/recover.ts';

const pageSize = 2_000;

export interface Taken {
  readonly epoch: number;
  readonly last: number;
  /** What the log holds. */
  readonly facts: readonly Recorded[];
  /** What recovery has to add. */
  readonly missing: readonly Fact[];
  /** Calls that had started and have no result: processes may live on. */
  readonly leftOver: readonly NodeId[];
}

export async function take(log: Log, session: string, holder: string, now: number): Promise<Taken> {
  const { epoch: before } = await log.head(session);
  const epoch = await log.claim(session, before, holder);
  const events: LoggedEvent[] = [];
  for (;;) {
    const page = await log.read(session, events.at(-1)?.seq ?? 0, pageSize);
    events.push(...page);
    if (page.length < pageSize) break;
  }
  const facts = events.map(({ body }) => body as Recorded);
  return { epoch, last: events.at(-1)?.seq ?? 0, facts, missing: recover(facts, now), leftOver: unfinished(facts) };
}

function unfinished(facts: readonly Recorded[]): readonly NodeId[] {
  const open = new Set<NodeId>();
  for (const fact of facts) {
    if (fact.type === 'tool_started') open.add(fact.node);
    if (fact.type === 'tool_result' && fact.outcome !== 'abandoned' && fact.outcome !== 'continues')
      open.delete(fact.node);
    if (fact.type === 'late_result' || fact.type === 'abandoned_ended') open.delete(fact.node);
  }
  return [...open];
}
