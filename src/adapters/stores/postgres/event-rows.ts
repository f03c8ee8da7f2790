// The rows of events in PostgreSQL: the JSON text of each, and beside it what is searched for.
import type { LogBody, LoggedEvent } from '../../../core/contracts/log.ts';
import { isCommandFact } from '../../../core/transcript/decided-commands.ts';
import type { Steps } from '../../../core/transcript/in-slices.ts';

/** An event as it is written. */
export interface WrittenEvent {
  readonly session: string;
  readonly seq: number;
  readonly type: string;
  readonly speaker: string | null;
  readonly ref: string | null;
  /** A JSON text. */
  readonly body: string;
}

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

/** Encodes an event. */
export const encodeEvent = (session: string, seq: number, body: LogBody): WrittenEvent => ({
  session,
  seq,
  type: body.type,
  ...searchedOf(body),
  body: JSON.stringify(body),
});

/** Returns the rows that a statement reads from the six parameters that begin with this one: `columnValues` returns these. */
export const eventsFrom = (first: number): string =>
  `unnest($${first}::text[], $${first + 1}::bigint[], $${first + 2}::text[], $${first + 3}::text[], $${first + 4}::text[], $${first + 5}::text[])
   AS event(session, seq, type, speaker, ref, body)`;

/** Returns the parameters of `eventsFrom`: the values of each column. */
export const columnValues = (events: readonly WrittenEvent[]): unknown[] =>
  (['session', 'seq', 'type', 'speaker', 'ref', 'body'] as const).map((column) => events.map((event) => event[column]));

/** The size of a slice, in characters, about. */
const sliceChars = 1_048_576;

/** Encodes the events of a session that begins with them, in slices that are sent one after the other. */
export function* stepsToEncode(session: string, bodies: readonly LogBody[]): Steps<readonly WrittenEvent[][]> {
  const slices: WrittenEvent[][] = [];
  let slice: WrittenEvent[] = [];
  let chars = 0;
  for (const [i, body] of bodies.entries()) {
    const event = encodeEvent(session, i + 1, body);
    slice.push(event);
    chars += event.body.length;
    if (chars >= sliceChars || i === bodies.length - 1) {
      slices.push(slice);
      slice = [];
      chars = 0;
    }
    yield event.body.length;
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
  body: JSON.parse(body) as LogBody, // the text of `encodeEvent`
});
