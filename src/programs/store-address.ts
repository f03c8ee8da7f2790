// Parses the setting `store`: transcripts are kept in memory, in a SQLite file, or in PostgreSQL.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PostgresLogOptions } from '../adapters/stores/postgres/postgres.ts';
import { errorText } from '../core/text/error-text.ts';
import { ConfigError } from './config-error.ts';

/** `name`: the words for it in messages, without a password. */
export type StoreAddress =
  | { readonly kind: 'memory'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
  | { readonly kind: 'postgres'; readonly name: string; readonly options: PostgresLogOptions };

const scheme = /^[a-z][a-z0-9+.-]+:\/\//i;
const postgresScheme = /^postgres(ql)?:\/\//i;
const knownParameters = ['host', 'sslmode', 'sslrootcert'];

/** Returns the address that the setting `store` names. Throws `ConfigError`, which never repeats a password. */
export function parseStoreAddress(store: string): StoreAddress {
  if (store === 'memory') return { kind: 'memory', name: 'in memory' };
  if (postgresScheme.test(store)) return parsePostgres(store);
  const [unknown] = scheme.exec(store) ?? [];
  if (unknown !== undefined)
    throw invalid(
      `it begins with ${unknown}, and must be a file, memory, or a database: postgres://user@host:port/database`,
    );
  const path = resolve(store);
  return { kind: 'file', name: path, path };
}

const invalid = (why: string, cause?: unknown) => new ConfigError(`The setting store is invalid: ${why}.`, { cause });

function parsePostgres(text: string): StoreAddress {
  const url = URL.parse(text);
  if (!url) throw invalid('the address of the database must have the form postgres://user@host:port/database');
  if (url.password !== '')
    throw invalid(
      'the address of the database has a password, which would stand in lists of processes. Put it into the file that PGPASSFILE names, or into PGPASSWORD',
    );
  const unknown = [...url.searchParams.keys()].find((name) => !knownParameters.includes(name));
  if (unknown !== undefined)
    throw invalid(
      `the address of the database has the parameter ${unknown}; it may have ${knownParameters.join(', ')}`,
    );
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  const database = decodeURIComponent(url.pathname.slice(1));
  const user = decodeURIComponent(url.username);
  const missing = Object.entries({ host, database, user }).find(([, value]) => value === '');
  if (missing) throw invalid(`the address of the database names no ${missing[0]}: postgres://user@host:port/database`);
  const port = url.port === '' ? undefined : Number(url.port);
  return {
    kind: 'postgres',
    name: `postgres://${url.username}@${url.host}${url.pathname}`,
    options: { host, port, database, user, tls: readTls(url.searchParams) },
  };
}

/** Returns the settings of TLS; undefined: no TLS, the default. A mode that encrypts without verifying the certificate of the server does not protect, and is refused. */
function readTls(search: URLSearchParams): PostgresLogOptions['tls'] {
  const mode = search.get('sslmode') ?? 'disable';
  const file = search.get('sslrootcert');
  if (mode !== 'disable' && mode !== 'verify-full')
    throw invalid(`sslmode is ${mode}, and must be disable, or verify-full, which verifies the server's certificate`);
  if (mode === 'disable') {
    if (file !== null) throw invalid('sslrootcert is set without sslmode=verify-full; set both, or neither');
    return undefined;
  }
  if (file === null) return true;
  try {
    return { ca: readFileSync(file, 'utf8') };
  } catch (error) {
    throw invalid(`the file of sslrootcert cannot be read: ${errorText(error)}`, error);
  }
}
