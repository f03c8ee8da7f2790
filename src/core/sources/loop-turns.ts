// Lets the event loop read what has happened: exits of processes, data of sockets, messages of threads.
import type { Clock, Disarm } from './sources.ts';

/** An exit takes one turn to be read, the end of its output another one, and what follows from them a few more. */
const turns = 5;

/** Runs `fn` after several turns of the event loop, each by a timer of 0 ms. */
export function afterTurns(clock: Pick<Clock, 'after'>, fn: () => void): Disarm {
  let disarm: Disarm = () => {};
  const wait = (left: number) => {
    disarm = clock.after(0, () => (left === 1 ? fn() : wait(left - 1)));
  };
  wait(turns);
  return () => disarm();
}
