// Shields every root turn of a session that is not interruptible, but no acknowledgement: it goes on, and a CANCEL of it is deferred until it ends or the time is
// over.
import type { TurnStarted } from '../../../machines/facts.ts';
import type { LiveTree } from '../live/tree.ts';
import { addMs, msUntil } from '../sources/monotonic-time.ts';
import type { Clock } from '../sources/sources.ts';
import type { FactHandlers, Projection } from '../transcript/journal.ts';
import type { Inbox } from './inbox.ts';

export class TurnShields implements Projection {
  static readonly #handlers: FactHandlers<TurnShields> = {
    turn_started(fact) {
      this.#shield(fact);
    },
  };
  readonly appended = TurnShields.#handlers;
  readonly #tree: LiveTree;
  readonly #inbox: Inbox;
  readonly #clock: Clock;
  readonly #maxMs: number;

  /** `maxMs`: how long a turn is shielded at most, in milliseconds; 0: until it ends. */
  constructor(tree: LiveTree, inbox: Inbox, clock: Clock, maxMs: number) {
    this.#tree = tree;
    this.#inbox = inbox;
    this.#clock = clock;
    this.#maxMs = maxMs;
  }

  #shield(fact: TurnStarted): void {
    const turn = fact.parent === null && this.#tree.get(fact.turn);
    if (!turn || turn.cut || turn.acknowledges !== null) return;
    const { state } = turn;
    const inherited = state.kind === 'pending' ? state.deferred.until : undefined;
    const own = () => (this.#maxMs === 0 ? null : addMs(this.#clock.elapsed(), this.#maxMs));
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
