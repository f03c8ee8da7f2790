// The index of a SQLite file: when something last happened in each session, its title, its root turns, and the words that were said in them.
//
// 1. Triggers of the table `events` keep it, in the transaction of the event: what is deleted or redacted is not in the index any more, whatever version writes to the file.
// 2. The words alone are put in later, several messages together: FTS5 writes all that it has at each commit.
// 3. The sessions of an earlier version are indexed in slices, after the file was opened.
// 4. The words alone are indexed, not kept a second time: to remove them, the index is given the text that it had. So the text of an event (`textOf`) must stay the same.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { outcomeKinds } from '../../../machines/vocabulary.ts';
import { type FoundSessions, maxMessagesFound, type SessionPlace } from '../../core/contracts/session-search.ts';
import type { FindSessionsRequest } from './sqlite-messages.ts';

/** Events that are indexed in one transaction, of an earlier version's sessions. */
const sliceEvents = 500;
/** Messages whose words are put into the index in one transaction. Fewer wait for the next search. */
const sliceMessages = 50;
/** Slices that a search waits for. */
const slicesOfSearch = 4;

/** The text of an event that has words: what was said, answered or given as a title. */
const textOf = (row: string) => `coalesce(${row}.body ->> 'text', ${row}.body ->> 'title', '')`;
const timeOf = (row: string) => `coalesce(${row}.body ->> 'at', 0)`;

/** The root turn of a node; the node itself where it is not known. */
const rootOf = (node: string) =>
  `coalesce((SELECT root FROM run_nodes WHERE session = new.session AND node = ${node}), ${node})`;

const isIndexed = (row: string) => `NOT EXISTS (SELECT 1 FROM unindexed WHERE session = ${row}.session)`;

/** Whether the words of a row of `said` are in the index by now. */
const hasWords = 'place <= (SELECT place FROM words_indexed)';

/** Removes the words of an event from the index. */
const forgetWords = `
  INSERT INTO said_words(said_words, rowid, words)
    SELECT 'delete', place, ${textOf('old')} FROM said WHERE session = old.session AND seq = old.seq AND ${hasWords};`;

/** `place` of `said` is never used again. Its `root` is null for the title of a session, and empty for one that another title has replaced. */
const tables = `
  CREATE TABLE IF NOT EXISTS listed(
    session TEXT PRIMARY KEY, at INTEGER NOT NULL, turn TEXT, title TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS newest ON listed(at, session);
  CREATE TABLE IF NOT EXISTS runs(
    session TEXT NOT NULL, turn TEXT NOT NULL, speaker TEXT NOT NULL, at INTEGER NOT NULL, outcome TEXT,
    PRIMARY KEY (session, turn)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS run_nodes(
    session TEXT NOT NULL, node TEXT NOT NULL, root TEXT NOT NULL, name TEXT, PRIMARY KEY (session, node)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS run_names ON run_nodes(session, root, name);
  CREATE TABLE IF NOT EXISTS run_causes(
    session TEXT NOT NULL, root TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (session, root, source)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS said(
    place INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, seq INTEGER NOT NULL, root TEXT, UNIQUE (session, seq)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS words_indexed(id INTEGER PRIMARY KEY CHECK (id = 1), place INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO words_indexed VALUES (1, 0);
  CREATE VIRTUAL TABLE IF NOT EXISTS said_words USING fts5(
    words, content = '', tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
  );
  INSERT INTO said_words(said_words, rank) VALUES ('secure-delete', 1);
  CREATE VIEW IF NOT EXISTS indexing AS SELECT session, seq, body ->> 'type' AS type, body FROM events;`;

/** Notes that an event has words. */
const noteWords = (root: string) => `
  INSERT INTO said SELECT NULL, new.session, new.seq, ${root} WHERE ${textOf('new')} <> '' ON CONFLICT DO NOTHING;`;

/** What an event of a type adds to the index. Other types only bring their session to the front of the list. */
const additions: Readonly<Record<string, string>> = {
  turn_opened: `
    INSERT INTO runs SELECT new.session, new.body ->> 'turn', coalesce(new.body ->> 'owner', ''), ${timeOf('new')}, NULL
      WHERE new.body ->> 'turn' IS NOT NULL ON CONFLICT DO NOTHING;
    INSERT INTO run_nodes SELECT new.session, new.body ->> 'turn', new.body ->> 'turn', new.body ->> 'agent'
      WHERE new.body ->> 'turn' IS NOT NULL ON CONFLICT DO NOTHING;
    UPDATE listed SET turn = new.body ->> 'turn'
      WHERE session = new.session AND new.body ->> 'kind' IS NOT 'acknowledgement';
    ${noteWords("coalesce(new.body ->> 'turn', '')")}`,
  turn_started: `
    INSERT INTO run_nodes
      SELECT new.session, new.body ->> 'turn', ${rootOf("(new.body ->> 'parent')")}, new.body ->> 'agent'
      WHERE new.body ->> 'parent' IS NOT NULL ON CONFLICT DO NOTHING;
    UPDATE run_nodes SET name = new.body ->> 'agent'
      WHERE new.body ->> 'agent' IS NOT NULL AND session = new.session AND node = new.body ->> 'parent';`,
  tool_call: `
    INSERT INTO run_nodes
      SELECT new.session, new.body ->> 'node', ${rootOf("(new.body ->> 'turn')")}, new.body ->> 'name'
      WHERE new.body ->> 'node' IS NOT NULL ON CONFLICT DO NOTHING;`,
  turn_ended: `
    UPDATE runs SET outcome = new.body ->> 'outcome' WHERE session = new.session AND turn = new.body ->> 'turn';`,
  cancel_accepted: `
    INSERT INTO run_causes
      SELECT DISTINCT new.session, root, new.body ->> 'source' FROM run_nodes
      WHERE session = new.session AND new.body ->> 'source' IS NOT NULL AND node IN (
        SELECT value FROM json_each(new.body, '$.stopping') UNION SELECT value FROM json_each(new.body, '$.pending')
      ) ON CONFLICT DO NOTHING;`,
  session_renamed: `
    UPDATE said SET root = '' WHERE session = new.session AND root IS NULL;
    UPDATE listed SET title = new.body ->> 'title' WHERE session = new.session;
    ${noteWords('NULL')}`,
  input_deferred: noteWords(rootOf("(new.body ->> 'turn')")),
  model_ended: noteWords(rootOf("(new.body ->> 'turn')")),
  question_closed: noteWords(rootOf("(new.body ->> 'node')")),
};

const indexedTypes = Object.keys(additions)
  .map((type) => `'${type}'`)
  .join(', ');
const additionTriggers = Object.entries(additions).map(
  ([type, statements]) => `
  CREATE TRIGGER IF NOT EXISTS index_${type} INSTEAD OF INSERT ON indexing WHEN new.type = '${type}' BEGIN
    ${statements}
  END;`,
);

const triggers = `${additionTriggers.join('')}
  CREATE TRIGGER IF NOT EXISTS index_appended AFTER INSERT ON events BEGIN
    INSERT INTO listed VALUES (new.session, ${timeOf('new')}, NULL, NULL)
      ON CONFLICT DO UPDATE SET at = excluded.at WHERE excluded.at > at;
    INSERT INTO indexing SELECT new.session, new.seq, new.body ->> 'type', new.body
      WHERE new.body ->> 'type' IN (${indexedTypes}) AND ${isIndexed('new')};
  END;
  CREATE TRIGGER IF NOT EXISTS index_redacted AFTER UPDATE OF body ON events BEGIN
    ${forgetWords}
    INSERT INTO said_words(rowid, words)
      SELECT place, ${textOf('new')} FROM said WHERE session = new.session AND seq = new.seq AND ${hasWords};
    UPDATE runs SET speaker = coalesce(new.body ->> 'owner', '')
      WHERE new.body ->> 'type' = 'turn_opened' AND session = new.session AND turn = new.body ->> 'turn';
    UPDATE listed SET title = (
      SELECT body ->> 'title' FROM events JOIN said USING (session, seq) WHERE session = new.session AND root IS NULL
    ) WHERE new.body ->> 'type' = 'session_renamed' AND session = new.session;
  END;
  CREATE TRIGGER IF NOT EXISTS index_deleted AFTER DELETE ON events BEGIN
    ${forgetWords}
    DELETE FROM said WHERE session = old.session AND seq = old.seq;
    DELETE FROM listed WHERE old.seq = 1 AND session = old.session;
    DELETE FROM runs WHERE old.seq = 1 AND session = old.session;
    DELETE FROM run_nodes WHERE old.seq = 1 AND session = old.session;
    DELETE FROM run_causes WHERE old.seq = 1 AND session = old.session;
    DELETE FROM unindexed WHERE old.seq = 1 AND session = old.session;
  END;`;

/** The sessions that an earlier version has left: `seq` is the last event that is indexed. They are listed at once. */
const earlierSessions = `
  CREATE TABLE unindexed(session TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO unindexed SELECT session, 0 FROM sessions WHERE last > 0;
  INSERT INTO listed
    SELECT session, ${timeOf('events')}, NULL, NULL FROM sessions JOIN events USING (session) WHERE seq = last;`;

/** Makes the tables and triggers of the index, in a transaction. */
export function prepareIndex(db: DatabaseSync): void {
  const isNew = !db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'unindexed'").get();
  db.exec(`${tables} ${isNew ? earlierSessions : ''} ${triggers}`);
}

const orders = {
  newest: { after: '(at, session) < (:at, :session)', by: 'at DESC, session DESC' },
  name: { after: 'session > :session', by: 'session' },
} as const;
const hits = `hits AS MATERIALIZED (
    SELECT session, root FROM said_words JOIN said ON place = said_words.rowid
    WHERE said_words MATCH :words ORDER BY said_words.rowid DESC LIMIT ${maxMessagesFound}
  )`;

/** The conditions on a root turn, by the field of the search. */
const turnConditions = {
  speaker: 'speaker = :speaker',
  outcome: "coalesce(outcome, 'open') = :outcome",
  since: 'r.at >= :since',
  until: 'r.at < :until',
  tool: 'EXISTS (SELECT 1 FROM run_nodes n WHERE n.session = r.session AND n.root = r.turn AND n.name = :tool)',
  cause: 'EXISTS (SELECT 1 FROM run_causes c WHERE c.session = r.session AND c.root = r.turn AND c.source = :cause)',
} as const;
const turnFields = Object.keys(turnConditions) as readonly (keyof typeof turnConditions)[]; // of the table above

/** Its methods run in the thread that writes the file. */
export class SqliteIndex {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #hasUnindexed = true;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  find({ search: { order, turn, among }, after, limit }: FindSessionsRequest): FoundSessions {
    const values: Record<string, SQLInputValue> = { limit };
    const conditions = ['session NOT IN (SELECT session FROM drafts)'];
    if (among) {
      conditions.push('session IN (SELECT value FROM json_each(:among))');
      values['among'] = JSON.stringify(among);
    }
    if (after) {
      conditions.push(orders[order].after);
      values['session'] = after.session;
      if (order === 'newest') values['at'] = after.at;
    }
    const slice = `slice AS (SELECT * FROM listed WHERE ${conditions.join(' AND ')} ORDER BY ${orders[order].by} LIMIT :limit)`;
    const asked = turnFields.filter((field) => turn?.[field] !== undefined);
    for (const field of asked) values[field] = turn?.[field] ?? null;
    const ofTurn = ['r.session = s.session', ...asked.map((field) => turnConditions[field])];
    const isTitled = 's.session IN (SELECT session FROM hits WHERE root IS NULL)';
    if (turn?.words) {
      for (let left = slicesOfSearch; left > 0 && this.#countPending() > 0; left--)
        this.#inTransaction(() => this.#indexWords());
      values['words'] = turn.words.map((word) => `"${word}"*`).join(' ');
      ofTurn.push(`(${isTitled} OR (r.session, r.turn) IN (SELECT session, root FROM hits))`);
    }
    const hasTurn = `EXISTS (SELECT 1 FROM runs r WHERE ${ofTurn.join(' AND ')})`;
    const isFound = turn ? `(${asked.length === 0 && turn.words ? `${isTitled} OR ` : ''}${hasTurn})` : '1';
    const ctes = [slice, ...(turn?.words ? [hits] : [])].join(', ');
    const rows = this.#prepare(
      `WITH ${ctes}
       SELECT s.session AS session, s.at AS at, s.title, s.turn, last.outcome, ${isFound} AS isFound FROM slice s
       LEFT JOIN runs last ON last.session = s.session AND last.turn = s.turn
       ORDER BY s.${orders[order].by.replace(', ', ', s.')}`,
    ).all(values);
    const last = rows.at(-1);
    return {
      found: rows.filter(({ isFound: is }) => is === 1).map(foundSessionOf),
      next: rows.length < limit || !last ? null : placeOf(last),
    };
  }

  /** Indexes a slice of what is not indexed yet, outside any transaction. Returns whether there may be more. */
  indexSlice(): boolean {
    if (this.#hasUnindexed) this.#inTransaction(() => this.#indexEarlier());
    else if (this.#countPending() < sliceMessages) return false;
    else this.#inTransaction(() => this.#indexWords());
    return true;
  }

  #inTransaction(work: () => void): void {
    const db = this.#db;
    db.exec('BEGIN IMMEDIATE');
    try {
      work();
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Indexes a slice of a session of an earlier version. */
  #indexEarlier(): void {
    const next = this.#prepare('SELECT session, seq FROM unindexed LIMIT 1').get();
    if (next) this.#indexEvents(String(next['session']), Number(next['seq']));
    else this.#hasUnindexed = false;
  }

  /** The messages whose words are not in the index yet, about: places have gaps. */
  #countPending(): number {
    const sql = 'SELECT coalesce(max(place), 0) - (SELECT place FROM words_indexed) AS pending FROM said';
    return Number(this.#prepare(sql).get()?.['pending']);
  }

  #indexWords(): void {
    const slice = 'FROM said WHERE place > (SELECT place FROM words_indexed) ORDER BY place LIMIT ?';
    const { last = null } =
      this.#prepare(`SELECT max(place) AS last FROM (SELECT place ${slice})`).get(sliceMessages) ?? {};
    this.#prepare(
      `INSERT INTO said_words(rowid, words) SELECT place, ${textOf('events')} FROM (SELECT * ${slice}) JOIN events USING (session, seq)`,
    ).run(sliceMessages);
    this.#prepare('UPDATE words_indexed SET place = coalesce(?, place)').run(last);
  }

  #indexEvents(session: string, after: number): void {
    const { last = null } =
      this.#prepare(
        'SELECT max(seq) AS last FROM (SELECT seq FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?)',
      ).get(session, after, sliceEvents) ?? {};
    if (last === null) {
      this.#prepare('DELETE FROM unindexed WHERE session = ?').run(session);
      return;
    }
    this.#prepare(
      `INSERT INTO indexing SELECT session, seq, body ->> 'type', body FROM events
       WHERE session = ? AND seq > ? AND seq <= ? AND body ->> 'type' IN (${indexedTypes}) ORDER BY seq`,
    ).run(session, after, Number(last));
    this.#prepare('UPDATE unindexed SET seq = ? WHERE session = ?').run(Number(last), session);
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

type Row = Readonly<Record<string, unknown>>;

const placeOf = ({ session, at }: Row): SessionPlace => ({ session: String(session), at: Number(at) });

const foundSessionOf = ({ title, turn, outcome, ...row }: Row): FoundSessions['found'][number] => ({
  ...placeOf(row),
  title: title === null ? null : String(title),
  lastTurn: turn === null ? null : { outcome: outcomeKinds.find((kind) => kind === outcome) ?? 'open' },
});
