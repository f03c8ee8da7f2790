// The turns before those that a chat has opened its session with: reads them from the end backward, and gives their frames as they would have come.
import { type EarlierFacts, isOfUnknown, noLimits } from '../client/view/earlier-turns.ts';
import { foldFrame } from '../client/view/fold.ts';
import type { ReadEarlier } from '../client/view/session-view.ts';
import { emptySnapshot, type SessionSnapshot } from '../client/view/snapshot.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import { showNames } from '../wire/shown-names.ts';

/** A frame of an earlier turn, and the session after it as far as it was read. */
export interface OlderFrame {
  readonly frame: FactFrame;
  readonly snapshot: SessionSnapshot;
}

/** Facts that are read at once. */
const pageFacts = 200;

export class OlderTurns {
  /** The sequence number below which the next turns are read; null: there are none. */
  #before: number | null = null;
  /** Facts of turns whose opening was not read yet. */
  #waiting: readonly FactFrame[] = [];

  /** Whether there are turns before those that were printed. */
  get hasMore(): boolean {
    return this.#before !== null;
  }

  /** Notes a frame of the session. Returns whether it is to be printed: a fact of an older turn is, with its turn. */
  note(frame: ServerFrame, snapshot: SessionSnapshot): boolean {
    if (frame.type === 'joined' && frame.tail) {
      this.#before = snapshot.earlierBefore;
      this.#waiting = [];
    }
    if (this.#before === null || !isOfUnknown(snapshot, frame)) return true;
    this.#waiting = [...this.#waiting, frame];
    return false;
  }

  /** Resolves with the frames of so many turns before those that were read, as far as there are; in their order. */
  async read(read: ReadEarlier, turns: number): Promise<readonly OlderFrame[]> {
    let page: EarlierFacts = { events: [], next: this.#before };
    while (page.next !== null && openingsIn(page).length < turns) {
      const { events, next } = await read({ before: page.next, limit: pageFacts });
      page = { events: [...events.map(showNames), ...page.events], next };
    }
    page = lastTurnsOf(page, turns);
    this.#before = page.next;
    const frames: OlderFrame[] = [];
    const waiting: FactFrame[] = [];
    let snapshot = emptySnapshot;
    for (const frame of [...page.events, ...this.#waiting]) {
      snapshot = foldFrame(snapshot, frame, noLimits);
      if (isOfUnknown(snapshot, frame)) waiting.push(frame);
      else frames.push({ frame, snapshot });
    }
    this.#waiting = waiting;
    return frames;
  }
}

const openingsIn = ({ events }: EarlierFacts): readonly FactFrame[] =>
  events.filter(({ type }) => type === 'turn_opened');

/** Returns the end of a page, from the opening of the first of its last turns on; the page itself if it has no more turns than these. */
function lastTurnsOf(page: EarlierFacts, turns: number): EarlierFacts {
  const openings = openingsIn(page);
  const start = openings.at(-turns)?.seq;
  if (start === undefined || openings.length <= turns) return page;
  return { events: page.events.filter(({ seq = 0 }) => seq >= start), next: start };
}
