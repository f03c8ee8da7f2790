// The log in memory: for tests, and for a host that keeps no history.
import type { Fact } from '../../../machines/facts.ts';
import {
  type Deletion,
  Fenced,
  type Host,
  type Log,
  type LogBody,
  type LoggedEvent,
  type LogHead,
  StoreFailed,
} from '../../core/contracts/log.ts';
import { commandKeyOf, commandName } from '../../core/transcript/command-key.ts';
import { createMemoryBlobs } from '../../core/transcript/memory-blobs.ts';
import { MemoryLeases } from './memory-leases.ts';

interface StoredSession {
  epoch: number;
  holder: string | null;
  /** Bodies as JSON, as on disk: no reader shares an object with the writer. */
  readonly events: { readonly epoch: number; readonly body: string }[];
  /** The sequence numbers of the facts that record a command, by the name of its key. */
  readonly commands: Map<string, number>;
}

class MemoryLog implements Log {
  readonly isVolatile = true;
  readonly blobs = createMemoryBlobs();
  readonly #sessions = new Map<string, StoredSession>();
  readonly #leases = new MemoryLeases();
  #state: 'open' | 'closed' = 'open';

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
    const { events = [], commands = new Map() } = stored ?? {};
    this.#sessions.set(session, { epoch: expectedEpoch + 1, holder: host, events, commands });
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

  async hosts(): Promise<readonly Host[]> {
    this.#assertOpen();
    return this.#leases.list();
  }

  async append(session: string, epoch: number, expectedSeq: number, bodies: readonly LogBody[]): Promise<number> {
    const { events, commands } = this.#findIn(session, epoch);
    if (events.length !== expectedSeq)
      throw new Fenced(`${session} ends at ${events.length} by now, not at ${expectedSeq}.`);
    const written = bodies.map((body) => ({ epoch, body: JSON.stringify(body) }));
    events.push(...written);
    for (const [i, body] of bodies.entries()) {
      const key = commandKeyOf(body as Fact); // of other bodies it has none
      const name = key && commandName(key);
      if (name !== null && !commands.has(name)) commands.set(name, expectedSeq + i + 1);
    }
    return events.length;
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

  async deleteSession(session: string): Promise<Deletion> {
    const stored = this.#find(session);
    if (!stored || stored.events.length === 0) return 'unknown';
    if (stored.holder !== null) return 'held';
    this.#sessions.set(session, { epoch: stored.epoch + 1, holder: null, events: [], commands: new Map() });
    await this.blobs.deleteAll(session);
    return 'deleted';
  }

  async close(): Promise<void> {
    this.#state = 'closed';
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

/** Opens a log in memory, which is lost with the process. */
export function createMemoryLog(): Log {
  return new MemoryLog();
}

const isMembership = ({ type }: { readonly type: string }): boolean =>
  type === 'member_invited' || type === 'member_removed';
