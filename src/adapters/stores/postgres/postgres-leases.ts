// The leases of the hosts that share a database: a row for each host, whose number of renewals it raises.
//
// 1. No clock is compared with another one. A lease is over for a host that has seen the same number of renewals for as long as the lease is, by its own clock, which does not step.
// 2. While the database was away nobody could renew: what was seen before counts no more.
import type { ClientBase } from 'pg';
import { Fenced, HeldElsewhere, type Host, type LeasedHost } from '../../../core/contracts/log.ts';
import { msBetween } from '../../../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../../core/sources/sources.ts';
import { hostText, readHostText } from '../host-text.ts';

interface Seen {
  readonly renewals: string;
  readonly since: MonotonicTime;
}

/** A host that has a lease, as it is read now. */
interface LeaseRow {
  readonly host: string;
  readonly renewals: string;
  readonly lease_ms: number;
}

const leaseColumns = 'host, renewals::text AS renewals, lease_ms::float8 AS lease_ms';

export class PostgresLeases {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** To be called when a request has failed (2). */
  forgetSeen(): void {
    this.#seen.clear();
  }

  async start(client: ClientBase, host: Host, leaseMs: number): Promise<void> {
    await this.#endUnused(client);
    await client.query('DELETE FROM hosts WHERE name = $1', [host.name]);
    const row = [host.id, host.name, hostText(host), leaseMs];
    await client.query('INSERT INTO hosts VALUES ($1, $2, $3, 1, $4)', row);
  }

  /** Resolves with the version of the schema. Rejects with `Fenced` if the lease was ended. */
  async renew(client: ClientBase, host: string, leaseMs: number): Promise<number> {
    const { rows } = await client.query<{ readonly version: number }>(
      `UPDATE hosts SET renewals = renewals + 1, lease_ms = $2 WHERE host = $1
       RETURNING (SELECT version FROM belay_schema) AS version`,
      [host, leaseMs],
    );
    if (!rows[0]) throw new Fenced(`The lease of the host ${host} has been ended.`);
    return rows[0].version;
  }

  async endLease(client: ClientBase, host: string): Promise<void> {
    await client.query('DELETE FROM hosts WHERE host = $1', [host]);
  }

  /** Ends the lease of the holder of a session, which another host claims. Rejects with `HeldElsewhere` while it runs. */
  async takeOver(client: ClientBase, session: string, host: string): Promise<void> {
    const asked = this.#clock.elapsed();
    const { rows } = await client.query<LeaseRow>(
      `SELECT ${leaseColumns} FROM sessions JOIN hosts ON host = holder WHERE session = $1 AND holder <> $2`,
      [session, host],
    );
    const [row] = rows;
    if (!row) return;
    if (!this.#isOver(row, asked)) throw new HeldElsewhere(session);
    const { rowCount } = await client.query('DELETE FROM hosts WHERE host = $1 AND renewals = $2', [
      row.host,
      row.renewals,
    ]);
    if (rowCount !== 1) throw new HeldElsewhere(session); // it was renewed at this moment
  }

  /** Resolves with the ids of the sessions whose holder has no lease that runs. */
  async orphaned(client: ClientBase): Promise<readonly string[]> {
    const running = await this.#running(client);
    const { rows } = await client.query<{ readonly session: string }>(
      'SELECT session FROM sessions WHERE holder IS NOT NULL AND NOT holder = ANY($1) ORDER BY session',
      [running],
    );
    return rows.map(({ session }) => session);
  }

  async list(client: ClientBase): Promise<readonly LeasedHost[]> {
    const asked = this.#clock.elapsed();
    const { rows } = await client.query<LeaseRow & { readonly name: string; readonly process: string | null }>(
      `SELECT ${leaseColumns}, name, process FROM hosts ORDER BY host COLLATE "C"`,
    );
    this.#forgetOthers(rows);
    return rows.map((row) => ({
      id: row.host,
      name: row.name,
      ...readHostText(row.process),
      leaseMs: row.lease_ms,
      remainingMs: Math.max(0, row.lease_ms - this.#silentMs(row, asked)),
    }));
  }

  /** Ends the leases that are over of hosts which hold nothing: they died while they held nothing. */
  async #endUnused(client: ClientBase): Promise<void> {
    await client.query(
      `DELETE FROM hosts WHERE NOT host = ANY($1)
       AND host NOT IN (SELECT holder FROM sessions WHERE holder IS NOT NULL)`,
      [await this.#running(client)],
    );
  }

  async #running(client: ClientBase): Promise<readonly string[]> {
    const asked = this.#clock.elapsed();
    const { rows } = await client.query<LeaseRow>(`SELECT ${leaseColumns} FROM hosts`);
    this.#forgetOthers(rows);
    return rows.filter((row) => !this.#isOver(row, asked)).map(({ host }) => host);
  }

  #forgetOthers(rows: readonly LeaseRow[]): void {
    const hosts = new Set(rows.map(({ host }) => host));
    for (const host of this.#seen.keys()) if (!hosts.has(host)) this.#seen.delete(host);
  }

  /** Whether the lease is over (1). `asked`: before it was read. */
  #isOver(row: LeaseRow, asked: MonotonicTime): boolean {
    return this.#silentMs(row, asked) > row.lease_ms;
  }

  /** Returns for how long the number of renewals has been seen, in milliseconds; 0: it is new. */
  #silentMs({ host, renewals }: LeaseRow, asked: MonotonicTime): number {
    const seen = this.#seen.get(host);
    if (seen?.renewals === renewals) return msBetween(seen.since, asked);
    this.#seen.set(host, { renewals, since: this.#clock.elapsed() });
    return 0;
  }
}
