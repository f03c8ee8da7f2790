// The waits of a node for a person or for another call: they pause the timers above it, and count as waited there.
import type { Clock } from '../sources/sources.ts';
import type { NodeEntry } from './node-entry.ts';
import type { LiveTree } from './tree.ts';
import { WaitedTime } from './waited-time.ts';

/** Pauses every timer of the node and above it: its wait for somebody else counts in none. Disposing the result ends the wait. */
export function startWait(
  tree: Pick<LiveTree, 'pathToRoot'>,
  entry: NodeEntry,
  clock: Pick<Clock, 'elapsed'>,
): Disposable {
  // a call without a timer has not started: what it waits for then is no part of its run
  const waiting = tree.pathToRoot(entry).flatMap((at) => {
    if (at === entry && !at.timer) return [];
    at.waited ??= new WaitedTime();
    return { timer: at.timer, waited: at.waited };
  });
  for (const { waited, timer } of waiting) {
    waited.beginWait(clock);
    timer?.pause();
  }
  return {
    [Symbol.dispose]() {
      for (const { waited, timer } of waiting) {
        waited.endWait(clock);
        timer?.resume();
      }
    },
  };
}
