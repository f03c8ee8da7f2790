// `ended` of a turn that was cancelled resolves after its receipt, which may be late, or never come.
import { expect, test } from 'vitest';
import { createVirtualSources } from '../../src/core/sources/virtual.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { acceptedCancel, openedFrame, settled, setUpSession } from './held-session.ts';

const ended: ServerFrame = {
  type: 'turn_ended',
  session: 's',
  seq: 3,
  at: 0,
  turn: 'turn_1',
  outcome: 'cancelled',
  effect: 'none',
  usage: { kind: 'unknown', input: null, output: null },
};

/** A turn that has a cancel, and has ended. */
async function cancelled(stopping: readonly string[], pending: readonly string[] = []) {
  const { clock } = createVirtualSources();
  const { session, joined } = setUpSession({ clock });
  joined(0);
  const turn = session.say('words');
  session.receive(openedFrame(1, turn.ref));
  const cancel = session.cancel('session');
  session.receive(acceptedCancel(cancel.ref, { seq: 2, at: 0, stopping, pending }));
  session.receive(ended);
  const order: string[] = [];
  void turn.ended.then(({ outcome }) => order.push(outcome));
  cancel.settled.then(
    () => order.push('receipt'),
    () => {}, // the session has ended first
  );
  for await (const _ of turn); // the loop waits for no receipt
  return { session, clock, order, receipt: settled(cancel.ref, { seq: 4, at: 0 }), isOpen: () => order.length === 0 };
}

const passTick = () => new Promise((resolve) => setImmediate(resolve));

test('it resolves after the receipt of the cancel that stops the turn [cancel.settled]', async () => {
  const { session, order, receipt, isOpen } = await cancelled(['turn_1', 'turn_2']);
  await passTick();
  expect(isOpen()).toBe(true);
  session.receive(receipt);
  await passTick();
  expect(order.sort()).toEqual(['cancelled', 'receipt']);
});

test('it resolves after the receipt of a cancel that was pending for the turn [cancel.settled] [cancel.shield]', async () => {
  const { session, order, receipt, isOpen } = await cancelled([], ['turn_1']);
  await passTick();
  expect(isOpen()).toBe(true);
  session.receive(receipt);
  await passTick();
  expect(order.sort()).toEqual(['cancelled', 'receipt']);
});

test('it resolves two seconds after the end if the receipt is late [cancel.bounded]', async () => {
  const { clock, order, isOpen } = await cancelled(['turn_1', 'turn_2']);
  await clock.advance(1_999);
  expect(isOpen()).toBe(true);
  await clock.advance(1);
  expect(order).toEqual(['cancelled']);
});

test('it resolves when no receipt can come any more: the session has ended', async () => {
  const { session, order } = await cancelled(['turn_1']);
  session.fail(new Error('gone'));
  await passTick();
  expect(order).toEqual(['cancelled']);
});

test('it waits for no cancel that stops something else', async () => {
  const { order } = await cancelled(['turn_2']);
  await passTick();
  expect(order).toEqual(['cancelled']);
});
