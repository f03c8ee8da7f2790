// The deadline of a turn: armed when it is admitted, disarmed when it has ended. What it sends is a CANCEL like any other.
import type { Fact } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { type Stopwatch, startStopwatch } from '../live/pausable-timer.ts';
import type { Tree } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';

export interface DeadlinesOptions {
  readonly clock: Clock;
  readonly tree: Tree;
  /** 0: none. */
  readonly turnMs: number;
  expire(turn: NodeId, reason: string): void;
}

export function createDeadlines({ clock, tree, turnMs, expire }: DeadlinesOptions) {
  const armed = new Map<NodeId, Stopwatch>();
  return {
    learn(facts: readonly Fact[]): void {
      if (turnMs === 0) return;
      for (const fact of facts) {
        if (fact.type === 'turn_started' && fact.parent === null) {
          const { turn } = fact;
          const stopwatch = startStopwatch(clock, turnMs, () => expire(turn, `the turn took longer than ${turnMs} ms`));
          const entry = tree.get(turn);
          if (entry) entry.stopwatch = stopwatch;
          armed.set(turn, stopwatch);
        }
        if (fact.type === 'turn_ended') {
          armed.get(fact.turn)?.end();
          armed.delete(fact.turn);
        }
      }
    },
    end(): void {
      for (const stopwatch of armed.values()) stopwatch.end();
      armed.clear();
    },
  };
}
