// The search for sessions in the index of a PostgreSQL log.
import { outcomeKinds } from '../../../../machines/vocabulary.ts';
import {
  type FoundSession,
  type FoundSessions,
  maxMessagesFound,
  type SessionPlace,
  type SessionSearch,
} from '../../../core/contracts/session-search.ts';
import { maxIndexedNameChars } from './index-tables.ts';
import { wordsQuery } from './session-words.ts';
import type { Transactions } from './transactions.ts';

const orders = {
  newest: {
    by: ['at DESC', 'session DESC'],
    isAfter: (at: string, session: string) => `(at, session) < (${at}, ${session})`,
  },
  name: { by: ['session'], isAfter: (_: string, session: string) => `session > ${session}` },
} as const;

/** The conditions on a root turn, by the field of the search. `value`: the parameter. */
const turnConditions = {
  speaker: (value: string) => `r.speaker = ${value}`,
  outcome: (value: string) => `coalesce(r.outcome, 'open') = ${value}`,
  since: (value: string) => `r.at >= ${value}`,
  until: (value: string) => `r.at < ${value}`,
  tool: (value: string) =>
    `EXISTS (SELECT 1 FROM run_nodes n WHERE n.session = r.session AND n.root = r.turn AND n.name = left(${value}, ${maxIndexedNameChars}))`,
  cause: (value: string) =>
    `EXISTS (SELECT 1 FROM run_causes c WHERE c.session = r.session AND c.root = r.turn AND c.source = ${value})`,
} as const;
const turnFields = Object.keys(turnConditions) as readonly (keyof typeof turnConditions)[]; // of the table above

interface Row {
  readonly session: string;
  readonly at: number;
  readonly title: string | null;
  readonly turn: string | null;
  readonly outcome: string | null;
  readonly is_found: boolean;
}

/** A statement and its parameters. */
interface Query {
  readonly text: string;
  readonly values: unknown[];
}

function queryOf({ order, turn, among }: SessionSearch, after: SessionPlace | null, limit: number): Query {
  const values: unknown[] = [];
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const { by, isAfter } = orders[order];
  const conditions = ['true'];
  if (among) conditions.push(`session = ANY(${parameter(among, 'text[]')})`);
  if (after)
    conditions.push(isAfter(order === 'newest' ? parameter(after.at, 'bigint') : '', parameter(after.session, 'text')));
  const slice = `slice AS (SELECT * FROM listed WHERE ${conditions.join(' AND ')} ORDER BY ${by.join(', ')} LIMIT ${parameter(limit, 'bigint')})`;
  const asked = turnFields.filter((field) => turn?.[field] !== undefined);
  const ofTurn = asked.map((field) => {
    const value = turn?.[field];
    // the index has no U+0000, and the server refuses it
    if (typeof value === 'string') return turnConditions[field](parameter(value.replaceAll('\0', '\u{fffd}'), 'text'));
    return turnConditions[field](parameter(value, 'bigint'));
  });
  const isTitled = 's.session IN (SELECT session FROM hits WHERE root IS NULL)';
  const ctes = [slice];
  if (turn?.words) {
    ctes.push(`hits AS MATERIALIZED (
      SELECT session, root FROM said WHERE words @@ ${parameter(wordsQuery(turn.words), 'tsquery')} ORDER BY place DESC LIMIT ${maxMessagesFound})`);
    ofTurn.push(`(${isTitled} OR (r.session, r.turn) IN (SELECT session, root FROM hits))`);
  }
  const hasTurn = `EXISTS (SELECT 1 FROM runs r WHERE ${['r.session = s.session', ...ofTurn].join(' AND ')})`;
  const isFound = turn ? `(${asked.length === 0 && turn.words ? `${isTitled} OR ` : ''}${hasTurn})` : 'true';
  return {
    text: `WITH ${ctes.join(', ')}
      SELECT s.session, s.at::float8 AS at, s.title, s.turn, last.outcome, ${isFound} AS is_found FROM slice s
      LEFT JOIN runs last ON last.session = s.session AND last.turn = s.turn ORDER BY ${by.map((one) => `s.${one}`).join(', ')}`,
    values,
  };
}

const foundSessionOf = ({ session, at, title, turn, outcome }: Row): FoundSession => ({
  session,
  at,
  title,
  lastTurn: turn === null ? null : { outcome: outcomeKinds.find((kind) => kind === outcome) ?? 'open' },
});

/** See `Log.findSessions`. */
export async function findIndexedSessions(
  transactions: Transactions,
  search: SessionSearch,
  { after, limit }: { readonly after: SessionPlace | null; readonly limit: number },
): Promise<FoundSessions> {
  const { text, values } = queryOf(search, after, limit);
  const { rows } = await transactions.query<Row>(text, values);
  const last = rows.at(-1);
  return {
    found: rows.filter(({ is_found: isFound }) => isFound).map(foundSessionOf),
    next: rows.length < limit || !last ? null : { session: last.session, at: last.at },
  };
}
