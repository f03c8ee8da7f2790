// The deadlines of root turns: armed when a turn starts, disarmed when it settles. A deadline posts a CANCEL like any other.
import type { TurnStarted } from '../../../machines/facts.ts';
import { PausableTimer } from '../live/timers.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';
import type { FactHandlers, Projection } from '../transcript/journal.ts';
import { measuredText } from '../words/durations.ts';
import type { Inbox } from './inbox.ts';

export class TurnDeadlines implements Projection {
  static readonly #handlers: FactHandlers<TurnDeadlines> = {
    turn_started(fact) {
      this.#arm(fact);
    },
  };
  readonly appended = TurnDeadlines.#handlers;
  readonly #tree: LiveTree;
  readonly #inbox: Inbox;
  readonly #clock: Clock;
  readonly #turnMs: number;

  /** `turnMs`: how long a turn may take. */
  constructor(tree: LiveTree, inbox: Inbox, clock: Clock, turnMs: number) {
    this.#tree = tree;
    this.#inbox = inbox;
    this.#clock = clock;
    this.#turnMs = turnMs;
  }

  /** Starts the timer of a root turn. The turn's entry in the live tree keeps the timer, and stops it when the turn settles. */
  #arm({ turn, parent }: TurnStarted): void {
    const entry = parent === null ? this.#tree.get(turn) : undefined;
    if (!entry) return;
    const reason = `the turn took longer than ${measuredText(this.#turnMs)}`;
    entry.timer = new PausableTimer(this.#clock, this.#turnMs, () => this.#inbox.expire(turn, reason));
  }
}
