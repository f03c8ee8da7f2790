// Copies sessions with their blobs from one store to another, with the same sequence numbers.
//
// 1. A session is claimed in the store that it comes from while it is copied: nothing is written into it meanwhile.
// 2. It appears in the other store whole, or not at all. What is there already is compared, so that a copy that was interrupted is simply run again.
import type { RecordedFact } from '../../../machines/facts.ts';
import { Fenced, HeldElsewhere, type Log, type LoggedEvent, StoreFailed } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';
import { endLeasesOfDeadHosts } from '../session/dead-holders.ts';
import { readLogPages, readSessionIds } from '../session/read-log.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import { mediaIn } from '../transcript/session-blobs.ts';
import { HostLease } from './host-lease.ts';

/**
 * What became of a session. `present`: the other store has the same already. `held`: a host has it, or has left it open and is dead. `differs`: the other store has
 * another session of this id.
 */
export type CopiedSessionResult = 'copied' | 'present' | 'held' | 'differs';

export interface SessionCopy {
  readonly session: string;
  readonly result: CopiedSessionResult;
  readonly events: number;
  readonly blobs: number;
}

export interface CopySessionsOptions {
  readonly from: Log;
  readonly to: Log;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The lease under which sessions are claimed, in milliseconds. */
const leaseMs = 10_000;
/** Begins the id of a host that only copies: it leaves nothing open in a session. */
const hostPrefix = 'copy';

/** What was stored once is copied, whatever the limits were. */
const noLimits = {
  blobBytes: Number.MAX_SAFE_INTEGER,
  sessionBlobBytes: Number.MAX_SAFE_INTEGER,
  storeBlobBytes: Number.MAX_SAFE_INTEGER,
};

/**
 * Copies all sessions, one after the other, and yields what became of each. Rejects with `StoreFailed` if a store fails, cannot hold copies or has another text than was written, and if a speaker is
 * being deleted in the store that is copied.
 */
export async function* copySessions(options: CopySessionsOptions): AsyncGenerator<SessionCopy, void, void> {
  const { from, to, processes, clock, ids } = options;
  if (!from.listSessions || !to.createSession) throw new StoreFailed('A log without lists or copies cannot be copied.');
  const [deletion] = (await from.deletions?.listSpeakers()) ?? [];
  if (deletion)
    throw new StoreFailed('A speaker is being deleted in this store. Start a gateway on it, which ends that.');
  await endLeasesOfDeadHosts(from, processes);
  const lease = new HostLease({
    log: from,
    name: undefined,
    process: processes.readThisProcess(),
    leaseMs,
    clock,
    ids: () => ids(hostPrefix),
    onRenewed() {},
    onLost() {}, // the release of the session that is being copied is rejected
  });
  try {
    for await (const session of readSessionIds(from)) yield await copyHeld(options, session, await lease.hold());
  } finally {
    await lease.endLease();
  }
}

async function copyHeld({ from, to }: CopySessionsOptions, session: string, host: string): Promise<SessionCopy> {
  const head = await from.head(session);
  const held = { session, result: 'held', events: head.last, blobs: 0 } as const;
  if (head.holder !== null && !head.holder.startsWith(`${hostPrefix}_`)) return held;
  const epoch = await unlessTaken(() => from.claim(session, head.epoch, host));
  if (epoch === null) return held;
  const copy = await copySession(from, to, session, epoch);
  if ((await unlessTaken(() => from.release(session, epoch).then(() => true))) !== null) return copy;
  if (copy.result === 'copied') await to.deleteSession?.(session); // its lease was lost: another host may have written into the session
  return held;
}

/** Resolves with null if another host has the session. */
async function unlessTaken<Value>(request: () => Promise<Value>): Promise<Value | null> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof HeldElsewhere || error instanceof Fenced) return null;
    throw error;
  }
}

async function copySession(from: Log, to: Log, session: string, epoch: number): Promise<SessionCopy> {
  const events = await readEvents(from, session);
  const media = mediaIn(events.map(({ body }) => body as RecordedFact)); // only journals write events
  const ids = [...new Set(media.map(({ blob }) => blob))];
  const copy = { session, events: events.length, blobs: ids.length };
  const { last } = await to.head(session);
  if (last > 0) return { ...copy, result: isEqual(events, await readEvents(to, session)) ? 'present' : 'differs' };
  for (const id of ids) await copyBlob(from, to, session, id);
  await to.createSession?.(
    session,
    events.map(({ body }) => body),
    { from: session, ids: [], limits: noLimits },
    { epoch, epochs: events.map((event) => event.epoch) },
  );
  if (!isEqual(events, await readEvents(to, session)))
    throw new StoreFailed(`The copy of ${session} differs from the session. Delete it in the new store.`);
  return { ...copy, result: 'copied' };
}

/** A blob that was swept, because the store had no room, is missing in the copy, too. */
async function copyBlob(from: Log, to: Log, session: string, id: string): Promise<void> {
  const data = (await from.blobs?.read(session, id)) ?? null;
  if (data === null) return;
  if (!to.blobs) throw new StoreFailed('The new store keeps no images, sounds and files.');
  await to.blobs.put(session, [{ id, data }], noLimits);
  const written = await to.blobs.read(session, id);
  if (written === null || Buffer.compare(data, written) !== 0)
    throw new StoreFailed(`The copy of the file ${id} of ${session} differs from the original.`);
}

async function readEvents(log: Log, session: string): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const page of readLogPages(log, session)) events.push(...page);
  return events;
}

const isEqual = (one: readonly LoggedEvent[], other: readonly LoggedEvent[]): boolean =>
  one.length === other.length && one.every((event, i) => JSON.stringify(event) === JSON.stringify(other[i]));
