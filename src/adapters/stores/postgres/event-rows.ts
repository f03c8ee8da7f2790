// The rows of events in PostgreSQL: the JSON text of each, and beside it what is searched for.
import type { LogBody, LoggedEvent } from '../../../core/contracts/log.ts';
import { isCommandFact } from '../../../core/transcript/decided-commands.ts';
import type { Steps } from '../../../core/transcript/in-slices.ts';

/** The columns of events, one list for each: a statement gets them as arrays. */
export interface EventColumns {
  readonly sessions: string[];
  readonly seqs: number[];
  readonly types: string[];
  readonly speakers: (string | null)[];
  readonly refs: (string | null)[];
  readonly bodies: string[];
}

/** Returns columns without rows. */
export const noEvents = (): EventColumns => ({
  sessions: [],
  seqs: [],
  types: [],
  speakers: [],
  refs: [],
  bodies: [],
});

/** The fields of a fact by which it is found. */
interface Searched {
  readonly via?: string;
  readonly owner?: string;
  readonly by?: string | null;
  readonly ref?: string | null;
  readonly speaker?: string;
}

const membershipFacts: readonly string[] = ['member_invited', 'member_removed'];

/** Returns the speaker and the ref under which an event is found: of a command who has sent it, of a membership whose it is. */
export function searchedOf(body: LogBody): { readonly speaker: string | null; readonly ref: string | null } {
  const fact = body as LogBody & Searched; // the columns are null where a body has other fields
  if (membershipFacts.includes(body.type)) return { speaker: fact.speaker ?? null, ref: null };
  if (!isCommandFact(body)) return { speaker: null, ref: null };
  return { speaker: fact.via ?? fact.owner ?? fact.by ?? null, ref: fact.ref ?? null };
}

/** Adds the events of a session to the columns. */
export function addEvents(columns: EventColumns, session: string, firstSeq: number, bodies: readonly LogBody[]): void {
  for (const [i, body] of bodies.entries()) {
    const { speaker, ref } = searchedOf(body);
    columns.sessions.push(session);
    columns.seqs.push(firstSeq + i);
    columns.types.push(body.type);
    columns.speakers.push(speaker);
    columns.refs.push(ref);
    columns.bodies.push(JSON.stringify(body));
  }
}

/** The size of a slice, in characters, about. */
const sliceChars = 1_048_576;

/** Encodes the events of a session that begins with them, in slices that are sent one after the other. */
export function* stepsToEncode(session: string, bodies: readonly LogBody[]): Steps<readonly EventColumns[]> {
  const slices: EventColumns[] = [];
  let slice = noEvents();
  let chars = 0;
  for (const [i, body] of bodies.entries()) {
    addEvents(slice, session, i + 1, [body]);
    const length = slice.bodies.at(-1)?.length ?? 0;
    chars += length;
    if (chars >= sliceChars || i === bodies.length - 1) {
      slices.push(slice);
      slice = noEvents();
      chars = 0;
    }
    yield length;
  }
  return slices;
}

/** An event as it is read: `seq` and `epoch` as numbers, which `bigint` columns are not. */
export interface SelectedEvent {
  readonly seq: number;
  readonly epoch: number;
  readonly body: string;
}

export const eventColumns = 'seq::float8 AS seq, epoch::float8 AS epoch, body';

/** Returns the event of a row. */
export const eventOf = ({ seq, epoch, body }: SelectedEvent): LoggedEvent => ({
  seq,
  epoch,
  body: JSON.parse(body) as LogBody, // the text of `addEvents`
});
