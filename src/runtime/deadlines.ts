// The deadline of a turn: armed when it is admitted, disarmed when it has ended. What it sends is a CANCEL like any other.
import type { Fact } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Clock, Disarm } from '../sources/sources.ts';

export interface DeadlinesOptions {
  readonly clock: Clock;
  /** 0: none. */
  readonly turnMs: number;
  expire(turn: NodeId, reason: string): void;
}

export function createDeadlines({ clock, turnMs, expire }: DeadlinesOptions) {
  const armed = new Map<NodeId, Disarm>();
  return {
    learn(facts: readonly Fact[]): void {
      if (turnMs === 0) return;
      for (const fact of facts) {
        if (fact.type === 'turn_started' && fact.parent === null) {
          const { turn } = fact;
          armed.set(
            turn,
            clock.after(turnMs, () => expire(turn, `the turn took longer than ${turnMs} ms`)),
          );
        }
        if (fact.type === 'turn_ended') {
          armed.get(fact.turn)?.();
          armed.delete(fact.turn);
        }
      }
    },
    end(): void {
      for (const disarm of armed.values()) disarm();
      armed.clear();
    },
  };
}
