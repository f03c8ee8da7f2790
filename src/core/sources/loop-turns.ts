// Lets the event loop read what has happened before something goes on: exits of processes, data of sockets, messages of threads.
import type { Clock, Disarm } from './sources.ts';

/** What may go on in one turn of the loop: as many calls as a round can have. */
const maxReleased = 64;

/** What waits for the next turn of the loop, in the order in which it came, by its clock. */
const waiting = new WeakMap<Clock, (() => void)[]>();

/** Resolves when the event loop has read what is readable now. Many that wait go on in slices: before each the loop reads again. */
export function afterPoll(clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const earlier = waiting.get(clock);
  if (earlier) earlier.push(resolve);
  else {
    waiting.set(clock, [resolve]);
    releaseAfterPoll(clock);
  }
  return promise;
}

function releaseAfterPoll(clock: Clock): void {
  const afterTurn = clock.afterPoll?.bind(clock) ?? ((fn) => clock.after(0, fn));
  afterTurn(() => {
    const queue = waiting.get(clock) ?? [];
    for (const resolve of queue.splice(0, maxReleased)) resolve();
    if (queue.length > 0) releaseAfterPoll(clock);
    else waiting.delete(clock);
  });
}

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
