// The events between actors as a sequence: which records are shown, and who sent what to whom.
import type { EventRecord, InspectionRecord } from '../../../wire/inspection.ts';
import { type FindActor, kindOf } from '../records/actor-titles.ts';
import type { RecordHistory } from '../records/record-history.ts';

export interface EventFilter {
  /** Events that this actor sends or receives; null: those of all. */
  readonly actor: string | null;
  /** Events that it or an actor below it sends or receives; null: those of all. */
  readonly tree: string | null;
  /** A part of the type; empty: all. */
  readonly type: string;
  /** Whether XState's own events are shown: starts, and the ends of workers. */
  readonly withInternal: boolean;
}

/** The lane of events that come from outside the machines. */
export const outside = '';

/** The places of the events that a filter lets through. It reads each record once. */
export class EventIndex {
  readonly #history: RecordHistory;
  readonly #filter: EventFilter;
  #places: number[] = [];
  #readTo = 0;
  /** The senders and receivers, in the order of their first events. */
  readonly #lanes = new Set<string>([outside]);

  constructor(history: RecordHistory, filter: EventFilter) {
    this.#history = history;
    this.#filter = filter;
  }

  /** The actors that the events are between. */
  get lanes(): readonly string[] {
    return [...this.#lanes];
  }

  /** Reads what has come, and returns the places of all events, the oldest first. */
  readPlaces(): readonly number[] {
    const { oldest, newest } = this.#history;
    const from = Math.max(this.#readTo, oldest);
    const added: number[] = [];
    for (const [i, record] of this.#history.recordsBetween(from, newest).entries()) {
      if (!this.#isShown(record)) continue;
      added.push(from + i);
      this.#lanes.add(this.#history.senderOf(record) ?? outside).add(record.actor);
    }
    this.#readTo = newest;
    const dropped = countBelow(this.#places, oldest);
    if (dropped > 0 || added.length > 0) this.#places = [...this.#places.slice(dropped), ...added];
    return this.#places;
  }

  #isShown(record: InspectionRecord): record is EventRecord {
    if (record.type !== 'event') return false;
    const { actor, tree, type, withInternal } = this.#filter;
    if (!withInternal && record.event.startsWith('xstate.')) return false;
    if (type !== '' && !record.event.toLowerCase().includes(type.toLowerCase())) return false;
    const { find } = this.#history;
    const sender = this.#history.senderOf(record);
    if (actor !== null && record.actor !== actor && sender !== actor) return false;
    if (tree !== null && !isBelow(record.actor, tree, find) && !(sender && isBelow(sender, tree, find))) return false;
    const receiver = find(record.actor);
    return actor === record.actor || !receiver || kindOf(receiver) !== 'link'; // a link passes it on to the turn below it
  }
}

/** Returns how many of the ascending numbers are below a limit. */
export function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBelow(id: string, root: string, find: FindActor): boolean {
  let at: string | null = id;
  for (let depth = 0; at !== null && depth < 100; depth++) {
    if (at === root) return true;
    at = find(at)?.parent ?? null;
  }
  return false;
}
