// The tables and triggers of the index of sessions in PostgreSQL: when something last happened in each, its title, its root turns, and which events have words.
//
// 1. Triggers of the table `events` keep it, in the transaction of the event, whatever version of Belay writes: what is deleted or redacted is not in the index any more.
// 2. The words are put in later, by `SessionWords`: the server does not compare words as a search does. Until then `words` of a row is null.
// 3. No event is refused because of the index: what cannot be indexed is not found.
// 4. Bodies are texts with characters that `jsonb` refuses (U+0000, lone surrogates): they are replaced here.

/** `place` of `said` rises. Its `root` is null for the title of a session, and empty for a title that another one has replaced. */
const tables = `
  CREATE TABLE IF NOT EXISTS listed(session TEXT COLLATE "C" PRIMARY KEY, at BIGINT NOT NULL, turn TEXT, title TEXT);
  CREATE INDEX IF NOT EXISTS newest ON listed(at, session);
  CREATE TABLE IF NOT EXISTS runs(
    session TEXT COLLATE "C" NOT NULL, turn TEXT NOT NULL, speaker TEXT NOT NULL, at BIGINT NOT NULL, outcome TEXT, PRIMARY KEY (session, turn)
  );
  CREATE TABLE IF NOT EXISTS run_nodes(
    session TEXT COLLATE "C" NOT NULL, node TEXT NOT NULL, root TEXT NOT NULL, name TEXT, PRIMARY KEY (session, node)
  );
  CREATE INDEX IF NOT EXISTS run_names ON run_nodes(session, root, name);
  CREATE TABLE IF NOT EXISTS run_causes(
    session TEXT COLLATE "C" NOT NULL, root TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (session, root, source)
  );
  CREATE TABLE IF NOT EXISTS said(
    place BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, root TEXT, words TSVECTOR,
    UNIQUE (session, seq)
  );
  CREATE INDEX IF NOT EXISTS said_words ON said USING gin(words);
  CREATE INDEX IF NOT EXISTS without_words ON said(place) WHERE words IS NULL;
  CREATE TABLE IF NOT EXISTS unindexed(session TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL);`;

const readers = `
  CREATE OR REPLACE FUNCTION event_fields(body TEXT) RETURNS JSONB LANGUAGE plpgsql STABLE AS $function$
  BEGIN
    RETURN body::jsonb;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    BEGIN
      RETURN regexp_replace(replace(body, $$\\\\$$, $$\\u005c$$), $$\\\\u(0000|d[89a-f][0-9a-f]{2})$$, '\u{fffd}', 'gi')::jsonb;
    EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
      RETURN '{}';
    END;
  END $function$;
  CREATE OR REPLACE FUNCTION event_time(fields JSONB) RETURNS BIGINT LANGUAGE sql STABLE AS $function$
    SELECT CASE jsonb_typeof(fields -> 'at') WHEN 'number' THEN greatest(0, least((fields ->> 'at')::numeric, 9e15))::bigint ELSE 0 END
  $function$;
  CREATE OR REPLACE FUNCTION run_of(in_session TEXT, of_node TEXT) RETURNS TEXT LANGUAGE sql STABLE AS $function$
    SELECT coalesce((SELECT root FROM run_nodes WHERE session = in_session AND node = of_node), of_node)
  $function$;
  CREATE OR REPLACE FUNCTION note_words(in_session TEXT, at_seq BIGINT, fields JSONB, of_root TEXT) RETURNS VOID LANGUAGE sql AS $function$
    INSERT INTO said(session, seq, root) SELECT in_session, at_seq, of_root
    WHERE coalesce(fields ->> 'text', fields ->> 'title', '') <> '' ON CONFLICT DO NOTHING
  $function$;`;

/** A name is cut: a row of an index has a limit, and a model can call what it likes. */
export const maxIndexedNameChars = 200;
const nameOf = (field: string) => `left(fields ->> '${field}', ${maxIndexedNameChars})`;

/** What an event of a type adds to the index. Other types only bring their session to the front of the list. */
const additions: Readonly<Record<string, string>> = {
  turn_opened: `
    INSERT INTO runs SELECT in_session, fields ->> 'turn', coalesce(fields ->> 'owner', ''), event_time(fields), NULL
      WHERE fields ->> 'turn' IS NOT NULL ON CONFLICT DO NOTHING;
    INSERT INTO run_nodes SELECT in_session, fields ->> 'turn', fields ->> 'turn', ${nameOf('agent')}
      WHERE fields ->> 'turn' IS NOT NULL ON CONFLICT DO NOTHING;
    UPDATE listed SET turn = fields ->> 'turn' WHERE session = in_session AND fields ->> 'kind' IS DISTINCT FROM 'acknowledgement';
    PERFORM note_words(in_session, at_seq, fields, coalesce(fields ->> 'turn', ''));`,
  turn_started: `
    INSERT INTO run_nodes SELECT in_session, fields ->> 'turn', run_of(in_session, fields ->> 'parent'), ${nameOf('agent')}
      WHERE fields ->> 'turn' IS NOT NULL AND fields ->> 'parent' IS NOT NULL ON CONFLICT DO NOTHING;
    UPDATE run_nodes SET name = ${nameOf('agent')}
      WHERE fields ->> 'agent' IS NOT NULL AND session = in_session AND node = fields ->> 'parent';`,
  tool_call: `
    INSERT INTO run_nodes SELECT in_session, fields ->> 'node', run_of(in_session, fields ->> 'turn'), ${nameOf('name')}
      WHERE fields ->> 'node' IS NOT NULL AND fields ->> 'turn' IS NOT NULL ON CONFLICT DO NOTHING;`,
  turn_ended: `
    UPDATE runs SET outcome = fields ->> 'outcome' WHERE session = in_session AND turn = fields ->> 'turn';`,
  cancel_accepted: `
    INSERT INTO run_causes SELECT DISTINCT in_session, root, fields ->> 'source' FROM run_nodes
      WHERE session = in_session AND fields ->> 'source' IS NOT NULL AND (fields -> 'stopping' ? node OR fields -> 'pending' ? node)
      ON CONFLICT DO NOTHING;`,
  session_renamed: `
    UPDATE said SET root = '' WHERE session = in_session AND root IS NULL;
    UPDATE listed SET title = fields ->> 'title' WHERE session = in_session;
    PERFORM note_words(in_session, at_seq, fields, NULL);`,
  input_deferred: `PERFORM note_words(in_session, at_seq, fields, run_of(in_session, fields ->> 'turn'));`,
  model_ended: `PERFORM note_words(in_session, at_seq, fields, run_of(in_session, fields ->> 'turn'));`,
  question_closed: `PERFORM note_words(in_session, at_seq, fields, run_of(in_session, fields ->> 'node'));`,
};

/** The types of events that have words. */
export const wordyTypes: readonly string[] = Object.entries(additions)
  .filter(([, statements]) => statements.includes('note_words'))
  .map(([type]) => type);

const indexedTypes = Object.keys(additions)
  .map((type) => `'${type}'`)
  .join(', ');

const writers = `
  CREATE OR REPLACE FUNCTION index_event(in_session TEXT, at_seq BIGINT, of_type TEXT, fields JSONB) RETURNS VOID LANGUAGE plpgsql AS $function$
  BEGIN
    CASE of_type ${Object.entries(additions)
      .map(([type, statements]) => `WHEN '${type}' THEN ${statements}`)
      .join('\n')}
    ELSE NULL; END CASE;
  EXCEPTION WHEN data_exception OR program_limit_exceeded OR integrity_constraint_violation THEN NULL;
  END $function$;
  CREATE OR REPLACE FUNCTION index_appended() RETURNS TRIGGER LANGUAGE plpgsql AS $function$
  BEGIN
    INSERT INTO listed SELECT session, max(event_time(event_fields(body))), NULL, NULL FROM added GROUP BY session ORDER BY session
      ON CONFLICT (session) DO UPDATE SET at = excluded.at WHERE excluded.at > listed.at;
    PERFORM index_event(one.session, one.seq, one.type, event_fields(one.body)) FROM (
      SELECT * FROM added WHERE type IN (${indexedTypes}) AND session NOT IN (SELECT session FROM unindexed) ORDER BY session, seq
    ) AS one;
    RETURN NULL;
  END $function$;
  CREATE OR REPLACE FUNCTION index_redacted() RETURNS TRIGGER LANGUAGE plpgsql AS $function$
  DECLARE fields JSONB := event_fields(new.body);
  BEGIN
    UPDATE said SET words = NULL WHERE session = new.session AND seq = new.seq;
    UPDATE runs SET speaker = coalesce(fields ->> 'owner', '')
      WHERE new.type = 'turn_opened' AND session = new.session AND turn = fields ->> 'turn';
    UPDATE listed SET title = fields ->> 'title' WHERE new.type = 'session_renamed' AND session = new.session
      AND EXISTS (SELECT 1 FROM said WHERE said.session = new.session AND said.seq = new.seq AND root IS NULL);
    RETURN NULL;
  END $function$;
  CREATE OR REPLACE FUNCTION index_deleted() RETURNS TRIGGER LANGUAGE plpgsql AS $function$
  DECLARE ended TEXT[] := (SELECT array_agg(session) FROM removed WHERE seq = 1);
  BEGIN
    DELETE FROM said USING removed WHERE said.session = removed.session AND said.seq = removed.seq;
    DELETE FROM listed WHERE session = ANY(ended);
    DELETE FROM runs WHERE session = ANY(ended);
    DELETE FROM run_nodes WHERE session = ANY(ended);
    DELETE FROM run_causes WHERE session = ANY(ended);
    DELETE FROM unindexed WHERE session = ANY(ended);
    RETURN NULL;
  END $function$;
  CREATE OR REPLACE TRIGGER index_appended AFTER INSERT ON events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION index_appended();
  CREATE OR REPLACE TRIGGER index_redacted AFTER UPDATE OF body ON events FOR EACH ROW EXECUTE FUNCTION index_redacted();
  CREATE OR REPLACE TRIGGER index_deleted AFTER DELETE ON events REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION index_deleted();`;

/** Makes the index of a database. Sessions that have events already must be in `unindexed`. */
export const indexTables = `${tables} ${readers} ${writers}`;

/** Notes the sessions that an earlier version has written: they are listed at once. */
export const noteEarlierSessions = `
  INSERT INTO unindexed SELECT session, 0 FROM sessions WHERE last > 0 ON CONFLICT DO NOTHING;
  INSERT INTO listed SELECT session, event_time(event_fields(body)), NULL, NULL FROM sessions JOIN events USING (session) WHERE seq = last
    ON CONFLICT DO NOTHING;`;

/** Indexes the events of a session ($1) after one ($2), up to another one ($3). */
export const indexEarlierEvents = `
  SELECT index_event(one.session, one.seq, one.type, event_fields(one.body)) FROM (
    SELECT * FROM events WHERE session = $1 AND seq > $2 AND seq <= $3 AND type IN (${indexedTypes}) ORDER BY seq
  ) AS one`;
