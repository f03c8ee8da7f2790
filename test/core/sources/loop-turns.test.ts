// Work that waits for the event loop runs after several of its turns: an end is read in one, and what follows from it in those after.
import { expect, test } from 'vitest';
import { afterTurns } from '../../../src/core/sources/loop-turns.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

test('what takes four turns comes before it, and a disarmed one never comes [cancel.bounded]', async () => {
  const clock = createVirtualClock();
  const order: string[] = [];
  const read = (turn: number) => {
    order.push(`turn ${turn}`);
    if (turn < 4) clock.after(0, () => read(turn + 1));
  };
  clock.after(0, () => read(1));
  afterTurns(clock, () => order.push('judged'));
  const disarm = afterTurns(clock, () => order.push('disarmed'));
  disarm();
  await clock.advance(0);
  expect(order).toEqual(['turn 1', 'turn 2', 'turn 3', 'turn 4', 'judged']);
  expect(clock.pending).toBe(0);
});
