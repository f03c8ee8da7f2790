// Deletes words from PostgreSQL, and keeps the deletions of speakers that have not ended.
//
// 1. A row that was deleted or replaced lies in its table until that is written again. What the write-ahead log and backups of the server have is out of reach.
import { quoteRules } from '../../../../machines/vocabulary.ts';
import {
  Fenced,
  type LogBody,
  type LogDeletions,
  type Purge,
  type SpeakerDeletion,
  StoreFailed,
} from '../../../core/contracts/log.ts';
import { searchedOf } from './event-rows.ts';
import type { Transactions } from './transactions.ts';

/** Notes, in a transaction, that something was deleted: tables are to be written again. */
export const noteDeletion =
  'INSERT INTO unpurged VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET deletions = unpurged.deletions + 1';

/** The tables with something that may have been deleted: those of the index are in version 2 of the schema. */
const tablesWithWords = `SELECT oid, relname FROM pg_class WHERE oid IN (
  SELECT to_regclass(name) FROM unnest('{events,blobs,speaker_deletions,listed,runs,run_nodes,said}'::text[]) AS name)`;

const deletionOf = ({
  speaker,
  pseudonym,
  quotes,
}: Readonly<Record<'speaker' | 'pseudonym' | 'quotes', string>>): SpeakerDeletion => ({
  speaker,
  pseudonym,
  quotes: quoteRules.find((rule) => rule === quotes) ?? 'own',
});

type DeletionRow = Parameters<typeof deletionOf>[0];

export class PostgresDeletions implements LogDeletions {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  redact(session: string, epoch: number, seq: number, body: LogBody): Promise<void> {
    const { speaker, ref } = searchedOf(body);
    return this.#transactions.run(async (client) => {
      const held = 'SELECT 1 FROM sessions WHERE session = $1 AND epoch = $2 AND holder IS NOT NULL FOR SHARE';
      const { rowCount } = await client.query(held, [session, epoch]);
      if (rowCount !== 1) throw new Fenced(`${session} is not held in epoch ${epoch} by now.`);
      const { rowCount: replaced } = await client.query(
        'UPDATE events SET body = $4, speaker = $5, ref = $6 WHERE session = $1 AND seq = $2 AND type = $3',
        [session, seq, body.type, JSON.stringify(body), speaker, ref],
      );
      if (replaced !== 1) throw new StoreFailed(`${session} has no event ${seq} of the type ${body.type}.`);
      await client.query(noteDeletion);
    });
  }

  async purge(maxBytes: number): Promise<Purge> {
    const { rows } = await this.#transactions.query<{ readonly deletions: string; readonly bytes: number }>(
      `SELECT deletions::text AS deletions, (SELECT sum(pg_total_relation_size(oid)) FROM (${tablesWithWords}) AS t)::float8 AS bytes FROM unpurged`,
    );
    const [unpurged] = rows;
    if (!unpurged) return { remains: 'nothing', rewriteBytes: 0 };
    if (unpurged.bytes > maxBytes) return { remains: 'until_rewritten', rewriteBytes: unpurged.bytes };
    const { rows: tables } = await this.#transactions.query<{ readonly relname: string }>(tablesWithWords);
    await this.#transactions.query(`VACUUM FULL ${tables.map(({ relname }) => relname).join(', ')}`);
    await this.#transactions.query('DELETE FROM unpurged WHERE deletions = $1', [unpurged.deletions]);
    return { remains: 'nothing', rewriteBytes: 0 };
  }

  async startSpeaker({ speaker, pseudonym, quotes }: SpeakerDeletion): Promise<SpeakerDeletion> {
    const { rows } = await this.#transactions.query<DeletionRow>(
      `INSERT INTO speaker_deletions VALUES ($1, $2, $3) ON CONFLICT (speaker) DO UPDATE SET quotes = excluded.quotes
       RETURNING speaker, pseudonym, quotes`,
      [speaker, pseudonym, quotes],
    );
    if (!rows[0]) throw new StoreFailed('The deletion was not recorded.');
    return deletionOf(rows[0]);
  }

  async listSpeakers(): Promise<readonly SpeakerDeletion[]> {
    const { rows } = await this.#transactions.query<DeletionRow>(
      'SELECT speaker, pseudonym, quotes FROM speaker_deletions ORDER BY speaker',
    );
    return rows.map(deletionOf);
  }

  async forgetSpeaker(speaker: string): Promise<void> {
    await this.#transactions.run(async (client) => {
      const { rowCount } = await client.query('DELETE FROM speaker_deletions WHERE speaker = $1', [speaker]);
      if (rowCount === 1) await client.query(noteDeletion);
    });
  }
}
