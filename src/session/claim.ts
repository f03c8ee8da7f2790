// Takes a session from the store: claims it, closes what a dead process left open, and gives back its journal.
import type { Fact, Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Log, LoggedEvent } from '../transcript/log.ts';
import { recover } from '../transcript/recover.ts';
import { createRegister, type Register } from './receipt-index.ts';

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
  for await (const page of pagesOf(log, session)) events.push(...page);
  const facts = events.map(({ body }) => body as Recorded);
  return { epoch, last: events.at(-1)?.seq ?? 0, facts, missing: recover(facts, now), leftOver: unfinished(facts) };
}

async function* pagesOf(log: Log, session: string): AsyncGenerator<readonly LoggedEvent[]> {
  for (let seq = 0; ; ) {
    const page = await log.read(session, seq, pageSize);
    yield page;
    if (page.length < pageSize) return;
    seq = page.at(-1)?.seq ?? seq;
  }
}

/** A register of all that a session has ever had: for what the one in memory has forgotten. */
export async function readRegister(log: Log, session: string): Promise<Register> {
  const register = createRegister(Number.POSITIVE_INFINITY);
  for await (const page of pagesOf(log, session)) register.learn(page.map(({ body }) => body as Recorded));
  return register;
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
