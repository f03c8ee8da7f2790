// The leases of the hosts that share a SQLite file: a row for each host, however many sessions it holds.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Fenced, HeldElsewhere, type Host, type LeasedHost } from '../../core/contracts/log.ts';
import { readMachineTime } from '../../core/sources/machine-clock.ts';
import { hostText, readHostText } from './host-text.ts';

/** `process`: as src/adapters/stores/host-text.ts writes it. `clock`, `until`: as src/core/sources/machine-clock.ts reads them; all hosts of a file are on one machine. */
export const hostsTable = `CREATE TABLE IF NOT EXISTS hosts(
    host TEXT PRIMARY KEY, name TEXT NOT NULL, process TEXT, clock TEXT NOT NULL, until INTEGER NOT NULL
  ) STRICT;`;

/** Parameters: clock and now. */
const runs = 'clock = ? AND until > ?';

interface Statements {
  readonly start: StatementSync;
  readonly endOfName: StatementSync;
  readonly endUnused: StatementSync;
  readonly renew: StatementSync;
  readonly end: StatementSync;
  readonly holder: StatementSync;
  readonly isRunning: StatementSync;
  readonly orphaned: StatementSync;
  readonly list: StatementSync;
}

const prepareStatements = (db: DatabaseSync): Statements => ({
  start: db.prepare('INSERT INTO hosts VALUES (?, ?, ?, ?, ?)'),
  endOfName: db.prepare('DELETE FROM hosts WHERE name = ?'),
  endUnused: db.prepare(
    `DELETE FROM hosts WHERE NOT (${runs}) AND host NOT IN (SELECT holder FROM sessions WHERE holder IS NOT NULL)`,
  ),
  renew: db.prepare('UPDATE hosts SET clock = ?, until = ? WHERE host = ?'),
  end: db.prepare('DELETE FROM hosts WHERE host = ?'),
  holder: db.prepare(
    `SELECT holder, ${runs} AS isRunning FROM sessions JOIN hosts ON host = holder WHERE session = ? AND holder <> ?`,
  ),
  isRunning: db.prepare(`SELECT 1 FROM hosts WHERE ${runs} AND host = ?`),
  orphaned: db.prepare(
    `SELECT session FROM sessions
     WHERE holder IS NOT NULL AND holder NOT IN (SELECT host FROM hosts WHERE ${runs}) ORDER BY session`,
  ),
  list: db.prepare(
    `SELECT host AS id, name, process, CASE WHEN clock = ? THEN max(0, until - ?) ELSE 0 END AS remaining
     FROM hosts ORDER BY host`,
  ),
});

/** Its methods are parts of a transaction of src/adapters/stores/sqlite-store.ts. */
export class SqliteLeases {
  readonly #statements: Statements;

  constructor(db: DatabaseSync) {
    this.#statements = prepareStatements(db);
  }

  start(host: Host, leaseMs: number): void {
    const { endOfName, endUnused, start } = this.#statements;
    const { clock, now } = readMachineTime();
    endUnused.run(clock, now); // of hosts that died while they held nothing
    endOfName.run(host.name);
    start.run(host.id, host.name, hostText(host), clock, now + leaseMs);
  }

  /** Throws `Fenced` if the lease was ended. */
  renew(host: string, leaseMs: number): void {
    const { clock, now } = readMachineTime();
    const { changes } = this.#statements.renew.run(clock, now + leaseMs, host);
    if (Number(changes) !== 1) throw new Fenced(`The lease of the host ${host} has been ended.`);
  }

  endLease(host: string): void {
    this.#statements.end.run(host);
  }

  /** Ends the lease of the holder of a session, which another host claims. Throws `HeldElsewhere` while it runs. */
  takeOver(session: string, host: string): void {
    const { clock, now } = readMachineTime();
    const found = this.#statements.holder.get(clock, now, session, host);
    if (!found) return;
    if (found['isRunning'] === 1) throw new HeldElsewhere(session);
    this.endLease(String(found['holder']));
  }

  isRunning(host: string): boolean {
    const { clock, now } = readMachineTime();
    return this.#statements.isRunning.get(clock, now, host) !== undefined;
  }

  orphaned(): readonly unknown[] {
    const { clock, now } = readMachineTime();
    return this.#statements.orphaned.all(clock, now).map((row) => row['session']);
  }

  list(): readonly LeasedHost[] {
    const { clock, now } = readMachineTime();
    return this.#statements.list.all(clock, now).map(({ id, name, process, remaining }) => ({
      id: String(id),
      name: String(name),
      ...readHostText(typeof process === 'string' ? process : null),
      remainingMs: Number(remaining),
    }));
  }
}
