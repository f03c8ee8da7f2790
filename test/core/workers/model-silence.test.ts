// Notices that a model is silent: when they come, and that signs of the model put them off.
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import { ModelSilence } from '../../../src/core/workers/model-call.ts';

function start() {
  const clock = createVirtualClock();
  const notices: number[] = [];
  const silence = new ModelSilence(clock, 5_000, (elapsedMs) => notices.push(elapsedMs));
  return { clock, notices, silence };
}

test('each comes when the silence has doubled, at least once a minute', async () => {
  const { clock, notices } = start();
  await clock.advance(200_000);
  expect(notices).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 140_000, 200_000]);
});

test('a sign of the model puts them off', async () => {
  const { clock, notices, silence } = start();
  for (let i = 0; i < 5; i++) {
    await clock.advance(4_999);
    silence.noteSign();
  }
  expect(notices).toEqual([]);
  await clock.advance(5_000);
  expect(notices).toEqual([5_000]);
  await clock.advance(2_000);
  silence.noteSign();
  await clock.advance(4_999);
  expect(notices).toEqual([5_000]);
  await clock.advance(1);
  expect(notices).toEqual([5_000, 5_000]);
});

test('none comes after the disposal, and no timer stays', async () => {
  const { clock, notices, silence } = start();
  silence[Symbol.dispose]();
  expect(clock.pending).toBe(0);
  await clock.advance(60_000);
  expect(notices).toEqual([]);
});
