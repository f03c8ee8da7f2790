// The limit on tokens that are verified at a time: eight places, one of them for stops, and a bounded queue in which stops come first.
import { expect, test } from 'vitest';
import { settlePromises } from '../../src/core/sources/virtual.ts';
import { VerificationPlaces } from '../../src/gateway/verification-places.ts';

function createPlaces() {
  const places = new VerificationPlaces();
  const order: string[] = [];
  const occupy = async (kind: 'stop' | 'other', name: string, address = '10.0.0.1') => {
    order.push((await places.occupy(kind, address)) ? name : `${name} refused`);
  };
  return { places, order, occupy };
}

test('a stop gets the place that is for stops only, and goes before others that have waited longer [http.api.limits.guesses]', async () => {
  const { places, order, occupy } = createPlaces();
  for (let n = 0; n < 9; n++) void occupy('other', `other ${n}`);
  for (let n = 0; n < 3; n++) void occupy('stop', `stop ${n}`);
  await settlePromises();
  expect(order).toEqual([...Array.from({ length: 7 }, (_, n) => `other ${n}`), 'stop 0']);
  for (let n = 0; n < 4; n++) {
    places.free('10.0.0.1');
    await settlePromises();
  }
  expect(order.slice(8)).toEqual(['stop 1', 'stop 2', 'other 7']); // of the four free places, one is for stops only
  places.free('10.0.0.1');
  await settlePromises();
  expect(order.at(-1)).toBe('other 8');
});

test('at most 256 requests wait; stops are counted apart [http.api.limits.guesses]', async () => {
  const { order, occupy } = createPlaces();
  for (let n = 0; n < 7 + 256; n++) void occupy('other', 'other');
  await occupy('other', 'one more');
  void occupy('stop', 'stop');
  await settlePromises();
  expect(order).toEqual([...Array.from({ length: 7 }, () => 'other'), 'one more refused', 'stop']);
});

test('a free place goes to the waiting address that has the fewest places [http.api.limits.guesses]', async () => {
  const { places, order, occupy } = createPlaces();
  for (let n = 0; n < 30; n++) void occupy('stop', `guess ${n}`, '10.0.0.1');
  void occupy('stop', 'first of another', '10.0.0.2');
  void occupy('stop', 'second of another', '10.0.0.2');
  places.free('10.0.0.1');
  places.free('10.0.0.1');
  await settlePromises();
  expect(order.slice(8)).toEqual(['first of another', 'second of another']);
});
