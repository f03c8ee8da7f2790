// A bounded map keeps its newest entries, and counts the ones that it has dropped.
import { expect, test } from 'vitest';
import { BoundedMap } from '../../../src/core/collections/bounded-map.ts';
import { fc } from '../../support/property.ts';

test('the oldest entry is dropped for a new one', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.dropped).toBe(0);
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['b', 'c']);
  expect([...map.values()]).toEqual([2, 3]);
  expect(map.get('a')).toBeUndefined();
  expect(map.has('a')).toBe(false);
  expect(map.dropped).toBe(1);
});

test('an entry that is set again becomes the newest, and drops no other', () => {
  const map = new BoundedMap<string, number>(2);
  for (const key of ['a', 'b', 'a']) map.set(key, 0);
  expect(map.dropped).toBe(0);
  map.set('c', 0);
  expect([...map.keys()]).toEqual(['a', 'c']);
});

test('an entry that is deleted is not counted as dropped', () => {
  const map = new BoundedMap<string, number>(1);
  map.set('a', 1);
  expect(map.delete('a')).toBe(true);
  expect(map.delete('a')).toBe(false);
  map.set('b', 2);
  map.clear();
  expect(map.size).toBe(0);
  expect(map.dropped).toBe(0);
});

test('a map without capacity keeps nothing', () => {
  const map = new BoundedMap<string, number>(0);
  map.set('a', 1);
  expect(map.size).toBe(0);
  expect(map.dropped).toBe(1);
});

test('it never holds more than its capacity, and holds the keys that were set last', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), fc.integer({ min: 1, max: 6 }), (keys, capacity) => {
      const map = new BoundedMap<number, number>(capacity);
      keys.forEach((key, index) => {
        map.set(key, index);
      });
      const newest = [...new Set(keys.toReversed())].slice(0, capacity).toReversed();
      expect([...map.keys()]).toEqual(newest);
      expect([...map.values()]).toEqual(newest.map((key) => keys.lastIndexOf(key)));
    }),
  );
});
