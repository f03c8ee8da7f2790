// The log in memory: for tests, and for a host that keeps no history. It is bounded.
//
// 1. Above its limit the sessions that no host holds are forgotten, the one that was written longest ago first: they are asleep.
// 2. A session that would not fit with those that are held is refused by name: an append-only log cannot lose its beginning and go on.
import {
  type Deletion,
  Fenced,
  type Host,
  type LeasedHost,
  type Log,
  type LogBody,
  type LogDeletions,
  type LoggedEvent,
  type LogHead,
  type SpeakerDeletion,
  StoreFailed,
} from '../../core/contracts/log.ts';
import type { FoundSessions, SessionPlace, SessionSearch } from '../../core/contracts/session-search.ts';
import { commandKeyOf, commandName, isCommandFact } from '../../core/transcript/decided-commands.ts';
import { runInSlices, type Steps } from '../../core/transcript/in-slices.ts';
import { createMemoryBlobs } from '../../core/transcript/memory-blobs.ts';
import { SessionIndex, searchIndexes } from './memory-index.ts';
import { MemoryLeases } from './memory-leases.ts';

export interface MemoryLogOptions {
  /** The size of all sessions together, in bytes, about: of the texts of their events, and 128 for each. Default: 256 MiB. */
  readonly maxBytes?: number;
}

const defaultMaxBytes = 256 * 1_048_576;
/** Bytes of an event beside its text. */
const eventBytes = 128;

interface StoredEvent {
  readonly epoch: number;
  readonly body: string;
}

interface StoredSession {
  epoch: number;
  holder: string | null;
  /** Bodies as JSON, as on disk: no reader shares an object with the writer. */
  readonly events: StoredEvent[];
  /** The sequence numbers of the facts that record a command, by the name of its key. */
  readonly commands: Map<string, number>;
  bytes: number;
}

/** Returns the steps to the events with these bodies. */
function* writeTexts(bodies: readonly LogBody[], epochs: readonly number[]): Steps<readonly StoredEvent[]> {
  const written: StoredEvent[] = [];
  for (const [i, given] of bodies.entries()) {
    const body = JSON.stringify(given);
    written.push({ epoch: epochs[i] ?? 0, body });
    yield body.length;
  }
  return written;
}

class MemoryLog implements Log {
  readonly isVolatile = true;
  readonly blobs = createMemoryBlobs();
  /** The one that was written last is the last one. */
  readonly #sessions = new Map<string, StoredSession>();
  /** The indexes of the sessions, as far as they were read. */
  readonly #indexes = new WeakMap<readonly StoredEvent[], SessionIndex>();
  readonly #deletedSpeakers = new Map<string, SpeakerDeletion>();
  readonly deletions: LogDeletions = {
    redact: (...redaction) => this.#redact(...redaction),
    purge: async () => ({ remains: 'nothing', rewriteBytes: 0 }),
    startSpeaker: async (deletion) => {
      const { pseudonym } = this.#deletedSpeakers.get(deletion.speaker) ?? deletion;
      const recorded = { ...deletion, pseudonym };
      this.#deletedSpeakers.set(deletion.speaker, recorded);
      return recorded;
    },
    listSpeakers: async () => [...this.#deletedSpeakers.values()],
    forgetSpeaker: async (speaker) => void this.#deletedSpeakers.delete(speaker),
  };
  readonly #maxBytes: number;
  #bytes = 0;
  readonly #leases = new MemoryLeases();
  #state: 'open' | 'closed' = 'open';

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async head(session: string): Promise<LogHead> {
    const stored = this.#find(session);
    return { epoch: stored?.epoch ?? 0, last: stored?.events.length ?? 0, holder: stored?.holder ?? null };
  }

  async claim(session: string, expectedEpoch: number, host: string): Promise<number> {
    const { holder = null } = this.#find(session) ?? {};
    if (holder !== host) this.#leases.assertOver(session, holder);
    const stored = expectedEpoch === 0 ? this.#find(session) : this.#findIn(session, expectedEpoch);
    if (stored && expectedEpoch === 0) throw new Fenced(`${session} has been claimed before.`);
    if (holder !== null && holder !== host) this.#leases.endLease(holder);
    const { events = [], commands = new Map(), bytes = 0 } = stored ?? {};
    this.#sessions.set(session, { epoch: expectedEpoch + 1, holder: host, events, commands, bytes });
    return expectedEpoch + 1;
  }

  async release(session: string, epoch: number): Promise<void> {
    this.#findIn(session, epoch).holder = null;
  }

  async orphaned(): Promise<readonly string[]> {
    this.#assertOpen();
    const isOrphan = ({ holder }: StoredSession) => holder !== null && !this.#leases.isRunning(holder);
    return [...this.#sessions].filter(([, stored]) => isOrphan(stored)).map(([session]) => session);
  }

  async startLease(host: Host, leaseMs: number): Promise<void> {
    this.#assertOpen();
    this.#leases.start(host, leaseMs);
  }

  async renewLease(host: string, leaseMs: number): Promise<void> {
    this.#assertOpen();
    this.#leases.renew(host, leaseMs);
  }

  async endLease(host: string): Promise<void> {
    this.#assertOpen();
    this.#leases.endLease(host);
  }

  async hosts(): Promise<readonly LeasedHost[]> {
    this.#assertOpen();
    return this.#leases.list();
  }

  async append(session: string, epoch: number, expectedSeq: number, bodies: readonly LogBody[]): Promise<number> {
    const { events } = this.#findIn(session, epoch);
    if (events.length !== expectedSeq)
      throw new Fenced(`${session} ends at ${events.length} by now, not at ${expectedSeq}.`);
    this.#write(
      session,
      bodies,
      bodies.map((body) => ({ epoch, body: JSON.stringify(body) })),
    );
    return events.length;
  }

  /** Adds events to a session that is held. Throws `StoreFailed` where there is no room. */
  #write(session: string, bodies: readonly LogBody[], written: readonly StoredEvent[]): void {
    const stored = this.#find(session);
    if (!stored) return;
    const { events, commands } = stored;
    this.#makeRoom(
      session,
      written.reduce((sum, { body }) => sum + body.length + eventBytes, 0),
    );
    for (const [i, body] of bodies.entries()) noteCommand(commands, body, events.length + i + 1);
    for (const event of written) events.push(event);
  }

  async #redact(session: string, epoch: number, seq: number, body: LogBody): Promise<void> {
    const stored = this.#findIn(session, epoch);
    if (stored.holder === null) throw new Fenced(`${session} is not held in epoch ${epoch} by now.`);
    const event = stored.events[seq - 1];
    const replaced = JSON.parse(event?.body ?? '{}') as LogBody; // the text of `append`
    if (!event || replaced.type !== body.type)
      throw new StoreFailed(`${session} has no event ${seq} of the type ${body.type}.`);
    const text = JSON.stringify(body);
    stored.events[seq - 1] = { ...event, body: text };
    this.#indexes.delete(stored.events);
    stored.bytes += text.length - event.body.length;
    this.#bytes += text.length - event.body.length;
    const name = commandNameOf(replaced);
    if (name !== null && stored.commands.get(name) === seq) stored.commands.delete(name);
    noteCommand(stored.commands, body, seq);
  }

  async read(session: string, afterSeq: number, limit = Number.POSITIVE_INFINITY): Promise<readonly LoggedEvent[]> {
    const events = this.#find(session)?.events ?? [];
    return events.slice(afterSeq, afterSeq + limit).map(({ epoch, body }, i) => ({
      seq: afterSeq + i + 1,
      epoch,
      body: JSON.parse(body) as LogBody, // the text of `append`
    }));
  }

  async findCommand(session: string, speaker: string, ref: string): Promise<LoggedEvent | null> {
    const seq = this.#find(session)?.commands.get(commandName({ speaker, ref }));
    const [event = null] = seq === undefined ? [] : await this.read(session, seq - 1, 1);
    return event;
  }

  async findMembership(session: string, speaker: string): Promise<readonly LoggedEvent[]> {
    const events = await this.read(session, 0);
    const isTurn = ({ body }: LoggedEvent) => body.type === 'turn_opened';
    const found = [
      events[0],
      events.find(isTurn),
      events.find((event) => isTurn(event) && speakerOf(event) === speaker),
      events.findLast(({ body }) => isMembership(body) && 'speaker' in body && body.speaker === speaker),
    ];
    return [...new Set(found)].filter((event) => event !== undefined);
  }

  async listSessions(after: string | null, limit: number): Promise<readonly string[]> {
    this.#assertOpen();
    const ids = [...this.#sessions].filter(([id, { events }]) => events.length > 0 && (after === null || id > after));
    return ids
      .map(([id]) => id)
      .sort()
      .slice(0, limit);
  }

  async findSessions(search: SessionSearch, after: SessionPlace | null, limit: number): Promise<FoundSessions> {
    this.#assertOpen();
    const indexed = [...this.#sessions].filter(([, { events }]) => events.length > 0);
    return searchIndexes(
      indexed.map(([session, { events }]) => ({ session, index: this.#indexOf(events) })),
      search,
      { after, limit },
    );
  }

  #indexOf(events: readonly StoredEvent[]): SessionIndex {
    const index = this.#indexes.get(events) ?? new SessionIndex();
    this.#indexes.set(events, index);
    for (const { body } of events.slice(index.count)) index.add(JSON.parse(body) as LogBody); // the text of `append`
    return index;
  }

  async createSession(
    ...[session, bodies, blobs, origin]: Parameters<NonNullable<Log['createSession']>>
  ): Promise<void> {
    const { from, ids, limits } = blobs;
    const written = await runInSlices(writeTexts(bodies, origin?.epochs ?? []));
    const { events = [], holder = null, epoch = 0 } = this.#find(session) ?? {};
    if (events.length > 0 || holder !== null) throw new Fenced(`${session} is not unused by now.`);
    const nextEpoch = Math.max(epoch, origin?.epoch ?? 0) + 1;
    const stored: StoredSession = { epoch: nextEpoch, holder: 'its maker', events: [], commands: new Map(), bytes: 0 };
    const copies = this.blobs.copiesOf(session, from, ids);
    this.blobs.assertRoom(session, copies, limits);
    this.#sessions.set(session, stored);
    this.#write(session, bodies, written);
    stored.holder = null;
    if (copies.length > 0) await this.blobs.put(session, copies, limits);
  }

  async deleteSession(session: string): Promise<Deletion> {
    const stored = this.#find(session);
    if (!stored || stored.events.length === 0) return 'unknown';
    if (stored.holder !== null) return 'held';
    this.#bytes -= stored.bytes;
    this.#sessions.set(session, { epoch: stored.epoch + 1, holder: null, events: [], commands: new Map(), bytes: 0 });
    await this.blobs.deleteAll(session);
    return 'deleted';
  }

  async close(): Promise<void> {
    this.#state = 'closed';
  }

  /** Makes room for `bytes` of the session. Throws `StoreFailed` where those that are held leave none. */
  #makeRoom(session: string, bytes: number): void {
    const stored = this.#find(session);
    if (!stored) return;
    this.#sessions.delete(session);
    this.#sessions.set(session, stored);
    for (const [id, { holder, bytes: freed }] of this.#sessions) {
      if (this.#bytes + bytes <= this.#maxBytes) break;
      if (holder !== null) continue;
      this.#sessions.delete(id);
      this.#bytes -= freed;
      void this.blobs.deleteAll(id);
    }
    if (this.#bytes + bytes > this.#maxBytes) {
      // its host writes no more of it: what it has is forgotten with the next session that needs room
      stored.holder = null;
      stored.epoch++;
      throw new StoreFailed(
        `The log in memory is full: ${this.#bytes + bytes} of ${this.#maxBytes} bytes, all of sessions that are awake. Keep the transcripts in a file: the option \`store\`.`,
      );
    }
    stored.bytes += bytes;
    this.#bytes += bytes;
  }

  #assertOpen(): void {
    if (this.#state === 'closed') throw new StoreFailed('The log is closed.');
  }

  #find(session: string): StoredSession | undefined {
    this.#assertOpen();
    return this.#sessions.get(session);
  }

  #findIn(session: string, epoch: number): StoredSession {
    const stored = this.#find(session);
    if (stored?.epoch !== epoch)
      throw new Fenced(`${session} is in epoch ${stored?.epoch ?? 0} by now, not in ${epoch}.`);
    return stored;
  }
}

/** Returns the speaker of the connection that has opened a turn. */
const speakerOf = ({ body }: LoggedEvent): unknown => ('via' in body ? body.via : 'owner' in body ? body.owner : null);

/** Opens a log in memory, which is lost with the process, and forgets sessions that are asleep above its limit. Throws a `RangeError` if the limit is no number of bytes. */
export function createMemoryLog({ maxBytes = defaultMaxBytes }: MemoryLogOptions = {}): Log {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new RangeError(`maxBytes of createMemoryLog is ${maxBytes}; it must be a whole number from 1 on.`);
  return new MemoryLog(maxBytes);
}

function commandNameOf(body: LogBody): string | null {
  const key = isCommandFact(body) ? commandKeyOf(body) : null;
  return key && commandName(key);
}

/** Notes the first fact that records a command under its key. */
function noteCommand(commands: Map<string, number>, body: LogBody, seq: number): void {
  const name = commandNameOf(body);
  if (name !== null && !commands.has(name)) commands.set(name, seq);
}

const isMembership = ({ type }: { readonly type: string }): boolean =>
  type === 'member_invited' || type === 'member_removed';
