// Decides which records a reader gets, and what it gets of a record that belongs to sessions which it may not read.
//
// 1. A record of a session is for those who may read the session, and a reader of one session gets the name of no other.
// 2. A connection may belong to several sessions: its record is for the readers of each, and names to each what that one may read.
// 3. A record of no session (a connection that has joined none) is for readers of everything.
import type { InspectionRecord, VisibleFields } from '../wire/inspection.ts';
import type { ReaderAccess } from '../wire/inspection-source.ts';
import { field } from './visible-fields.ts';

/** A record, and the sessions that it belongs to. */
export interface KeptRecord {
  readonly record: InspectionRecord;
  readonly sessions: readonly string[];
}

/** `record` null: the reader does not get it. `unknown`: it is not known yet whether the reader may read the session. */
export type FilteredRecord =
  | { readonly verdict: 'known'; readonly record: InspectionRecord | null }
  | { readonly verdict: 'unknown' };

const everything: ReaderAccess = { readsNoSession: true, mayRead: () => true };
const hidden: FilteredRecord = { verdict: 'known', record: null };

export class RecordFilter {
  readonly #session: string | null;
  readonly #access: ReaderAccess;

  /** `session`: the only one that is asked for; null: all. `access` undefined: the reader may read everything. */
  constructor(session: string | null, access: ReaderAccess = everything) {
    this.#session = session;
    this.#access = access;
  }

  apply({ record, sessions }: KeptRecord): FilteredRecord {
    const named = [...new Set([...sessions, ...namesIn(record)])];
    const verdicts = new Map(named.map((session) => [session, this.#mayShow(session)]));
    if ([...verdicts.values()].includes(null)) return { verdict: 'unknown' };
    const mayShow = (session: string) => verdicts.get(session) === true;
    const shown = sessions.filter(mayShow);
    if (shown.length > 0) return { verdict: 'known', record: this.#narrow(record, sessions, shown, mayShow) };
    const isOfNone = sessions.length === 0 && this.#session === null && this.#access.readsNoSession;
    return isOfNone && named.every(mayShow) ? { verdict: 'known', record } : hidden;
  }

  #mayShow(session: string): boolean | null {
    return this.#session !== null && session !== this.#session ? false : this.#access.mayRead(session);
  }

  /** Returns the record with the names of the sessions in `shown` alone. */
  #narrow(
    record: InspectionRecord,
    sessions: readonly string[],
    shown: readonly string[],
    mayShow: (session: string) => boolean,
  ): InspectionRecord {
    if (shown.length === sessions.length && namesIn(record).every(mayShow)) return record;
    const [only = ''] = shown;
    const session = shown.length === 1 ? only : '';
    return { ...record, session, ...('context' in record && { context: narrowContext(record.context, mayShow) }) };
  }
}

function narrowContext(
  { sessions, sessionsMore, ...context }: VisibleFields,
  mayShow: (session: string) => boolean,
): VisibleFields {
  return { ...context, ...(Array.isArray(sessions) && { sessions: sessions.filter(mayShow) }) };
}

/** Returns the names of sessions in the fields of a record. */
function namesIn(record: InspectionRecord): readonly string[] {
  const own = record.session === '' ? [] : [record.session];
  if (record.type === 'event') {
    const session = field(record.fields, 'session');
    return typeof session === 'string' ? [...own, session] : own;
  }
  const joined = 'context' in record ? field(record.context, 'sessions') : null;
  return Array.isArray(joined) ? [...own, ...joined] : own;
}
