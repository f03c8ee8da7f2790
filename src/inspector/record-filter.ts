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

const everything: ReaderAccess = { mayReadUnscoped: true, mayRead: () => true };
const hidden: FilteredRecord = { verdict: 'known', record: null };

export class RecordFilter {
  readonly #session: string | null;
  readonly #access: ReaderAccess;

  /** `session`: the only one that is asked for; null: all. `access` undefined: the reader may read everything. */
  constructor(session: string | null, access: ReaderAccess = everything) {
    this.#session = session;
    this.#access = access;
  }

  /** Asks about the names in a record, which any client chooses, only if the record itself may be shown. */
  apply({ record, sessions }: KeptRecord): FilteredRecord {
    if (sessions.length === 0 && !(this.#session === null && this.#access.mayReadUnscoped)) return hidden;
    const shown = this.#shownOf(sessions);
    if (shown === null) return { verdict: 'unknown' };
    if (sessions.length > 0 && shown.size === 0) return hidden;
    const names = namesIn(record);
    const shownNames = this.#shownOf(names);
    if (shownNames === null) return { verdict: 'unknown' };
    const isWhole = [...sessions, ...names].every((session) => shown.has(session) || shownNames.has(session));
    if (sessions.length === 0) return isWhole ? { verdict: 'known', record } : hidden;
    if (isWhole && (this.#session === null || record.session === this.#session)) return { verdict: 'known', record };
    return { verdict: 'known', record: narrow(record, shown, shownNames) };
  }

  /** Returns those of the sessions that may be shown; null: it is not known yet of all. */
  #shownOf(sessions: readonly string[]): ReadonlySet<string> | null {
    const verdicts = sessions.map((session) => this.#mayShow(session));
    return verdicts.includes(null) ? null : new Set(sessions.filter((_, i) => verdicts[i]));
  }

  #mayShow(session: string): boolean | null {
    return this.#session !== null && session !== this.#session ? false : this.#access.mayRead(session);
  }
}

/** Returns the record with the names of the sessions that may be shown alone. */
function narrow(
  record: InspectionRecord,
  shown: ReadonlySet<string>,
  shownNames: ReadonlySet<string>,
): InspectionRecord {
  const [only = ''] = shown;
  const session = shown.size === 1 ? only : '';
  return { ...record, session, ...('context' in record && { context: narrowContext(record.context, shownNames) }) };
}

function narrowContext(
  { sessions, sessionsMore, ...context }: VisibleFields,
  shownNames: ReadonlySet<string>,
): VisibleFields {
  return {
    ...context,
    ...(Array.isArray(sessions) && { sessions: sessions.filter((session) => shownNames.has(session)) }),
  };
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
