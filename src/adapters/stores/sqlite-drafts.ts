// Sessions that are being made in a SQLite file: a draft is written in portions, each in a transaction of its own, between which other requests are performed.
//
// 1. Nobody sees a draft. Its events stand under the id of its session, whose row in `sessions` comes with the last portion: readers read up to the `last` of that row.
// 2. A draft lives while its maker does: the thread that writes it, or a host whose lease runs. What a dead maker has left is removed in slices, between the requests.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type CopiedBlobs, type CopiedSession, Fenced, HeldElsewhere, type LogBody } from '../../core/contracts/log.ts';
import { msSince } from '../../core/sources/monotonic-time.ts';
import { pause } from '../../core/sources/pause.ts';
import type { Clock } from '../../core/sources/sources.ts';
import type { SqliteDeletions } from './sqlite-deletions.ts';
import type { SqliteLeases } from './sqlite-leases.ts';
import type { DraftEvent, DraftRequest } from './sqlite-messages.ts';

/** `maker`: the host, or the id of a log that has no lease; empty: the draft was given up. An id is never used again. */
export const draftsTable = `CREATE TABLE IF NOT EXISTS drafts(
    id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL UNIQUE, maker TEXT NOT NULL
  ) STRICT;`;

/** The limits of a portion: other requests wait some 20 ms for one. */
const portionEvents = 250;
const portionChars = 262_144;

/** Events of a dead draft that are removed in one transaction. */
const sliceEvents = 250;

interface Draft {
  readonly id: number;
  readonly session: string;
  readonly maker: string;
}

interface Statements {
  readonly isUsed: StatementSync;
  readonly start: StatementSync;
  readonly find: StatementSync;
  readonly findOwn: StatementSync;
  readonly list: StatementSync;
  readonly giveUp: StatementSync;
  readonly end: StatementSync;
  readonly deleteNewest: StatementSync;
}

const prepareStatements = (db: DatabaseSync): Statements => ({
  isUsed: db.prepare('SELECT 1 FROM sessions WHERE session = ? AND (last > 0 OR holder IS NOT NULL)'),
  start: db.prepare('INSERT INTO drafts(session, maker) VALUES (?, ?) RETURNING id'),
  find: db.prepare('SELECT id, session, maker FROM drafts WHERE session = ?'),
  findOwn: db.prepare('SELECT session FROM drafts WHERE id = ? AND maker = ?'),
  list: db.prepare('SELECT id, session, maker FROM drafts'),
  giveUp: db.prepare("UPDATE drafts SET maker = '' WHERE id = ?"),
  end: db.prepare('DELETE FROM drafts WHERE id = ?'),
  // the first event last: with it the index forgets the session
  deleteNewest: db.prepare(
    'DELETE FROM events WHERE rowid IN (SELECT rowid FROM events WHERE session = ? ORDER BY seq DESC LIMIT ?)',
  ),
});

/** Its methods, but `removeDead`, are parts of a transaction of src/adapters/stores/sqlite-store.ts. */
export class SqliteDrafts {
  /** The maker of drafts whose requests name none, and the newest host of this thread. */
  maker: string;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #leases: Pick<SqliteLeases, 'isRunning'>;
  readonly #deletions: Pick<SqliteDeletions, 'note'>;

  constructor(
    db: DatabaseSync,
    maker: string,
    parts: { readonly leases: Pick<SqliteLeases, 'isRunning'>; readonly deletions: Pick<SqliteDeletions, 'note'> },
  ) {
    this.#db = db;
    this.maker = maker;
    this.#statements = prepareStatements(db);
    this.#leases = parts.leases;
    this.#deletions = parts.deletions;
  }

  /** Returns the id of a new draft; null: a part of an earlier one was removed, and the request is to be sent again. Throws `Fenced` where the session is used. */
  start(session: string, maker = this.maker): number | null {
    const { isUsed, start } = this.#statements;
    if (isUsed.get(session)) throw new Fenced(`${session} is not unused by now.`);
    const earlier = this.#find(session);
    if (earlier) {
      // a log makes a session once at a time: what it finds of its own was left
      if (earlier.maker !== maker) this.#assertDead(earlier);
      this.#remove(earlier, sliceEvents);
      return null;
    }
    return Number(start.get(session, maker)?.['id']);
  }

  /** Returns the session of a draft. Throws `Fenced` where it was removed: its maker had no lease any more. */
  sessionOf(id: number, maker = this.maker): string {
    const found = this.#statements.findOwn.get(id, maker);
    if (!found) throw new Fenced(`The draft ${id} was removed.`);
    return String(found['session']);
  }

  /** Its events are those of a session from now on. */
  endDraft(id: number): void {
    this.#statements.end.run(id);
  }

  giveUp(id: number): void {
    this.#statements.giveUp.run(id);
  }

  /** Removes a dead draft of this session, which somebody claims. Throws `HeldElsewhere` where it lives. */
  removeFor(session: string): void {
    const draft = this.#find(session);
    if (!draft) return;
    this.#assertDead(draft);
    this.#remove(draft, Number.MAX_SAFE_INTEGER);
  }

  /** Removes a slice of a dead draft, outside any transaction. Returns whether there may be more. */
  removeDead(): boolean {
    if (!this.#findDead()) return false;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const dead = this.#findDead(); // as it is now that no other process writes
      if (dead) this.#remove(dead, sliceEvents);
      this.#db.exec('COMMIT');
      return true;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #isAlive({ maker }: Draft): boolean {
    return maker === this.maker || this.#leases.isRunning(maker);
  }

  #assertDead(draft: Draft): void {
    if (this.#isAlive(draft)) throw new HeldElsewhere(draft.session);
  }

  #find(session: string): Draft | null {
    const row = this.#statements.find.get(session);
    return row ? draftOf(row) : null;
  }

  #findDead(): Draft | undefined {
    return this.#statements.list
      .all()
      .map(draftOf)
      .find((draft) => !this.#isAlive(draft));
  }

  /** Removes its newest events, up to `limit`, and the draft with the last of them. */
  #remove({ id, session }: Draft, limit: number): void {
    if (Number(this.#statements.deleteNewest.run(session, limit).changes) >= limit) return;
    this.#statements.end.run(id);
    this.#deletions.note();
  }
}

const draftOf = ({ id, session, maker }: Readonly<Record<string, unknown>>): Draft => ({
  id: Number(id),
  session: String(session),
  maker: String(maker),
});

/** Yields events in portions. */
function* portionsOf(
  bodies: readonly LogBody[],
  epochs: readonly number[],
): Generator<readonly DraftEvent[], void, void> {
  let portion: DraftEvent[] = [];
  let chars = 0;
  for (const [i, given] of bodies.entries()) {
    const body = JSON.stringify(given);
    portion.push({ epoch: epochs[i] ?? 0, body });
    chars += body.length;
    if (portion.length < portionEvents && chars < portionChars) continue;
    yield portion;
    portion = [];
    chars = 0;
  }
  if (portion.length > 0) yield portion;
}

/**
 * Makes a session by requests to the thread that writes the file: see `Log.createSession`. After each portion it pauses for as long as the portion took: another process polls for the lock of the file,
 * and would not get it if this one took it again at once.
 */
export async function makeSession(
  write: <Value>(request: DraftRequest) => Promise<Value>,
  clock: Pick<Clock, 'elapsed' | 'after'>,
  session: string,
  bodies: readonly LogBody[],
  blobs: CopiedBlobs,
  { epoch, epochs }: CopiedSession = { epoch: 0, epochs: [] },
): Promise<void> {
  let draft: number | null = null;
  while (draft === null) draft = await write<number | null>({ op: 'startDraft', session });
  try {
    let last = 0;
    for (const portion of portionsOf(bodies, epochs)) {
      const start = clock.elapsed();
      await write({ op: 'addToDraft', draft, after: last, events: portion });
      last += portion.length;
      if (last === bodies.length) break;
      await pause(clock, msSince(clock, start));
    }
    await write({ op: 'finishDraft', draft, count: last, blobs, epoch });
  } catch (error) {
    await write({ op: 'giveUpDraft', draft }).catch(() => {}); // the next maker, or the next start, removes it
    throw error;
  }
}
