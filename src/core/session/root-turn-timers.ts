// The timers of root turns, armed when a turn starts. Its deadline posts a CANCEL like any other. In a session that is not interruptible it has a shield, too:
// it goes on, and a CANCEL of it is deferred until it ends or the time is over.
import type { TurnStarted } from '../../../machines/facts.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { PausableTimer } from '../live/timers.ts';
import type { LiveTree } from '../live/tree.ts';
import { addMs, msUntil } from '../sources/monotonic-time.ts';
import type { Clock } from '../sources/sources.ts';
import type { FactHandlers, Projection } from '../transcript/journal.ts';
import { measuredText } from '../words/durations.ts';
import type { Inbox } from './inbox.ts';

/** In milliseconds. */
export interface RootTurnTimes {
  /** How long a turn may take; 0: as long as it takes. */
  readonly turnMs: number;
  /** How long a turn is shielded at most; 0: until it ends; null: it is not shielded. */
  readonly shieldMs: number | null;
}

export class RootTurnTimers implements Projection {
  static readonly #handlers: FactHandlers<RootTurnTimers> = {
    turn_started(fact) {
      this.#arm(fact);
    },
  };
  readonly appended = RootTurnTimers.#handlers;
  readonly #tree: LiveTree;
  readonly #inbox: Inbox;
  readonly #clock: Clock;
  readonly #times: RootTurnTimes;

  constructor(tree: LiveTree, inbox: Inbox, clock: Clock, times: RootTurnTimes) {
    this.#tree = tree;
    this.#inbox = inbox;
    this.#clock = clock;
    this.#times = times;
  }

  #arm({ turn: id, parent }: TurnStarted): void {
    const turn = parent === null ? this.#tree.get(id) : undefined;
    if (!turn) return;
    const { turnMs, shieldMs } = this.#times;
    if (turnMs > 0) this.#armDeadline(turn, turnMs);
    if (shieldMs !== null && !turn.cut && turn.acknowledges === null) this.#shield(turn, shieldMs);
  }

  /** The turn's entry in the live tree keeps the timer, and stops it when the turn settles. */
  #armDeadline(turn: NodeEntry, turnMs: number): void {
    const reason = `the turn took longer than ${measuredText(turnMs)}`;
    turn.timer = new PausableTimer(this.#clock, turnMs, () => this.#inbox.expire(turn.id, reason));
  }

  #shield(turn: NodeEntry, maxMs: number): void {
    const { state } = turn;
    const inherited = state.kind === 'pending' ? state.deferred.until : undefined;
    const own = () => (maxMs === 0 ? null : addMs(this.#clock.elapsed(), maxMs));
    const until = inherited === undefined ? own() : inherited;
    if (until === null) {
      turn.turnShield = { until, disarm() {} };
      return;
    }
    const disarm = this.#clock.after(Math.max(0, msUntil(this.#clock, until)), () => {
      turn.turnShield = null;
      this.#inbox.post({ type: 'SHIELD_ENDED', turn: turn.id });
    });
    turn.turnShield = { until, disarm };
  }
}
