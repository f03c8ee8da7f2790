// Reads the whole log of a session, and the list of all sessions, page by page.

import type { RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { Log, LoggedEvent } from '../contracts/log.ts';
import { hashOfSecret } from '../text/same-secret.ts';

const pageSize = 2_000;
/** Ids that are read from the store at once. */
const idsPerPage = 500;

/** Yields all events of a session in order. The last page may be empty. */
export async function* readLogPages(log: Log, session: string): AsyncGenerator<readonly LoggedEvent[]> {
  let after = 0;
  while (true) {
    const page = await log.read(session, after, pageSize);
    yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.seq ?? after;
  }
}

/** Yields the ids of all sessions that have facts; none where the log cannot list them. */
export async function* readSessionIds(log: Log): AsyncGenerator<string, void, void> {
  let after: string | null = null;
  while (true) {
    const page: readonly string[] = (await log.listSessions?.(after, idsPerPage)) ?? [];
    yield* page;
    if (page.length < idsPerPage) return;
    after = page.at(-1) ?? after;
  }
}

/** Returns the fact of an event. The cast is safe: only the session's journal writes into its log. */
export const factOf = ({ seq, body }: LoggedEvent): SequencedFact => ({ seq, fact: body as RecordedFact });

/** Resolves with all facts of a session, in order. */
export async function readAllFacts(log: Log, session: string): Promise<readonly SequencedFact[]> {
  const events: SequencedFact[] = [];
  for await (const page of readLogPages(log, session)) events.push(...page.map(factOf));
  return events;
}

/** Resolves with all facts of a session, in order, as they are read; null if there is no such session. */
export async function exportFacts(log: Log, session: string): Promise<AsyncIterable<SequencedFact> | null> {
  const { last } = await log.head(session);
  return last === 0 ? null : readFacts(log, session);
}

/** Resolves with whether a session has an invite link with this secret, whatever became of it; nothing is opened for the question. */
export async function hasInvite(log: Log, session: string, secret: string): Promise<boolean> {
  const hash = hashOfSecret(secret);
  for await (const page of readLogPages(log, session))
    if (page.some(({ body }) => body.type === 'invite_secret' && 'hash' in body && body.hash === hash)) return true;
  return false;
}

async function* readFacts(log: Log, session: string): AsyncGenerator<SequencedFact> {
  for await (const page of readLogPages(log, session)) yield* page.map(factOf);
}
