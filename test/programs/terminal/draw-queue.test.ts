// The queue of what is to be drawn: one block in each turn of the event loop, in the order in which it was added.
import { expect, test } from 'vitest';
import { DrawQueue } from '../../../src/programs/terminal/draw-queue.ts';

function start() {
  const turns: (() => void)[] = [];
  const drawn: string[] = [];
  const queue = new DrawQueue((next) => turns.push(next));
  return {
    queue,
    drawn,
    add: (name: string) => queue.add(() => void drawn.push(name)),
    addParts: (name: string, count: number) =>
      queue.add(function* () {
        for (let part = 1; part <= count; part++) {
          drawn.push(`${name}${part}`);
          yield;
        }
      }),
    /** Lets the event loop turn. False: nothing waits for that. */
    turn(): boolean {
      const next = turns.shift();
      next?.();
      return next !== undefined;
    },
  };
}

test('one block is drawn at once, and each of the others after a turn of the event loop [page.chat]', () => {
  const { drawn, add, addParts, turn } = start();
  addParts('a', 2);
  add('b');
  addParts('c', 1);
  expect(drawn).toEqual(['a1']);
  turn();
  expect(drawn).toEqual(['a1', 'a2']);
  turn();
  expect(drawn).toEqual(['a1', 'a2', 'b']);
  while (turn());
  expect(drawn).toEqual(['a1', 'a2', 'b', 'c1']);
});

test('what draws no block takes no turn', () => {
  const { drawn, addParts, add } = start();
  addParts('none', 0);
  add('b');
  expect(drawn).toEqual(['b']);
});

test('a flush draws all of it, and what comes later is drawn at once again', () => {
  const { queue, drawn, add, addParts, turn } = start();
  addParts('a', 3);
  add('b');
  queue.flush();
  expect(drawn).toEqual(['a1', 'a2', 'a3', 'b']);
  while (turn());
  add('c');
  expect(drawn.at(-1)).toBe('c');
});
