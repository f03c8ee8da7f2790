// The pace at which sound is sent to one listener, over pauses, stops and a join in the middle, on a virtual clock.
import { expect, test } from 'vitest';
import { soundMs } from '../../src/core/contracts/sound.ts';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import { PacedSound } from '../../src/gateway/paced-sound.ts';

function openPaced() {
  const clock = createVirtualClock();
  const sent: { readonly turn: string; readonly index: number }[] = [];
  const paced = new PacedSound({
    clock,
    aheadMs: 300,
    queueBytes: 96_000,
    hasRoom: () => true,
    send: ({ turn, index, pcm }) => {
      for (let ms = 0; ms < soundMs(pcm); ms += 20) sent.push({ turn, index });
    },
  });
  const write = (turn: string, ms: number, index = 0) =>
    paced.add({ turn, index, position: 0, pcm: new Uint8Array(ms * 48) });
  const sentMs = (turn: string, index = 0) =>
    sent.filter((one) => one.turn === turn && one.index === index).length * 20;
  return { clock, paced, write, sentMs };
}

test('what a listener kept at a pause counts again when it goes on', async () => {
  const { clock, paced, write, sentMs } = openPaced();
  paced.noteBlock('a', 0);
  write('a', 5_000);
  await clock.advance(1_000);
  expect(sentMs('a')).toBe(1_300);
  paced.pause('a');
  await clock.advance(2_000);
  paced.resume('a');
  expect(sentMs('a')).toBe(1_300);
  await clock.advance(500);
  expect(sentMs('a')).toBe(1_800);
});

test('speech comes at once while another one is paused, and after one that was stopped', async () => {
  const { clock, paced, write, sentMs } = openPaced();
  for (const turn of ['a', 'b', 'c']) paced.noteBlock(turn, 0);
  write('a', 1_000);
  paced.pause('a');
  write('b', 1_000);
  expect([sentMs('a'), sentMs('b')]).toEqual([300, 300]);
  await clock.advance(100);
  paced.stop('b');
  write('c', 1_000);
  expect([sentMs('b'), sentMs('c')]).toEqual([400, 300]);
  await clock.advance(400);
  paced.stop('c');
  paced.resume('a');
  expect(sentMs('a')).toBe(300); // these are there
  await clock.advance(200);
  expect(sentMs('a')).toBe(500);
});

test('a stop reaches all blocks of a turn that began unseen, and none that begins later', async () => {
  const { clock, paced, write, sentMs } = openPaced();
  paced.stop('a');
  write('a', 100, 0);
  write('a', 100, 1);
  paced.noteBlock('a', 1); // from the log, late
  write('a', 100, 1);
  expect([sentMs('a', 0), sentMs('a', 1)]).toEqual([0, 0]);
  paced.startBlock('a', 2);
  write('a', 100, 1);
  write('a', 100, 2);
  await clock.advance(500);
  expect([sentMs('a', 1), sentMs('a', 2)]).toEqual([0, 100]);
});

test('a stop reaches the block whose sound came before its beginning was known', () => {
  const { paced, write, sentMs } = openPaced();
  write('a', 100);
  paced.stop('a');
  paced.startBlock('a', 0);
  write('a', 100);
  expect(sentMs('a')).toBe(100);
});
