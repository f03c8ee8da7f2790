// Exclusive keys have one holder each, a fair queue, and no queue after an abandoned holder.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { settlePromises } from '../../../src/core/sources/virtual.ts';
import { ExclusiveKeys } from '../../../src/core/tools/keys.ts';
import { fc } from '../../support/property.ts';
import { ignoreWaits, keyOf, requestsOf, unstopped, user } from './key-requests.ts';

const go = { kind: 'go' } as const;

test('nodes get one key one after the other, in the order of their requests [tool.parallel]', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  for (const id of ['a', 'b', 'c']) request(id);
  await settlePromises();
  expect(results).toEqual([['a', go]]);
  keys.release('a');
  request('d');
  await settlePromises();
  expect(results).toEqual([
    ['a', go],
    ['b', go],
  ]);
  for (const id of ['b', 'c', 'd']) {
    keys.release(id);
    await settlePromises();
  }
  expect(results.map(([id]) => id)).toEqual(['a', 'b', 'c', 'd']);
  expect(keys.holders()).toEqual([]);
});

test('nodes with different keys do not wait for each other [tool.parallel]', async () => {
  const keys = new ExclusiveKeys();
  expect(await keys.acquire(user('a'), keyOf('one'), unstopped(), ignoreWaits)).toEqual(go);
  expect(await keys.acquire(user('b'), keyOf('two'), unstopped(), ignoreWaits)).toEqual(go);
  expect(keys.holders()).toEqual(['a', 'b']);
});

test('a node that is stopped while it waits leaves the queue; those after it keep their order [ladder.call.queued]', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  const stop = new AbortController();
  request('a');
  request('b', 'name', stop.signal);
  request('c');
  stop.abort();
  await settlePromises();
  expect(results).toEqual([
    ['a', go],
    ['b', { kind: 'stopped' }],
  ]);
  keys.release('b'); // its node has left the queue: the others are not affected
  await settlePromises();
  expect(results).toHaveLength(2);
  keys.release('a');
  await settlePromises();
  expect(results.at(-1)).toEqual(['c', go]);
});

test('a node whose signal has fired gets no key, free or not [cancel.latch]', async () => {
  const keys = new ExclusiveKeys();
  expect(await keys.acquire(user('a'), keyOf('folder'), AbortSignal.abort(), ignoreWaits)).toEqual({ kind: 'stopped' });
  expect(keys.holders()).toEqual([]);
});

test('a stopped holder keeps the key until it has ended [tool.parallel]', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  const stop = new AbortController();
  request('a', 'name', stop.signal);
  request('b', 'name', stop.signal);
  await settlePromises();
  keys.release('a');
  await settlePromises();
  stop.abort();
  request('c');
  await settlePromises();
  expect(results).toEqual([
    ['a', go],
    ['b', go],
  ]);
});

test('no node waits for an abandoned holder, which keeps the key until it has ended [cancel.bounded]', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  for (const id of ['a', 'b', 'c']) request(id);
  keys.markAbandoned('a');
  await settlePromises();
  request('d');
  await settlePromises();
  const held = { kind: 'key_held', by: 'a' };
  expect(results).toEqual([
    ['a', go],
    ['b', held],
    ['c', held],
    ['d', held],
  ]);
  for (const id of ['b', 'c', 'd']) keys.release(id);
  expect(keys.holders()).toEqual(['a']);
  keys.release('a');
  request('e');
  await settlePromises();
  expect(results.at(-1)).toEqual(['e', go]);
});

test('a node that is abandoned while it waits, or without a request, changes nothing', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  request('a');
  request('b');
  keys.markAbandoned('b');
  keys.markAbandoned('unknown');
  keys.release('unknown');
  keys.release('a');
  await settlePromises();
  expect(results).toEqual([
    ['a', go],
    ['b', go],
  ]);
});

test('a node that ends while it waits is stopped, and delays no other node', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  for (const id of ['a', 'b', 'c']) request(id);
  keys.release('b');
  keys.release('a');
  await settlePromises();
  expect(results).toEqual([
    ['a', go],
    ['b', { kind: 'stopped' }],
    ['c', go],
  ]);
});

test('each that waits gets the name of the holder, and of the next one [tool.waits]', async () => {
  const keys = new ExclusiveKeys();
  const { waits, request } = requestsOf(keys);
  for (const id of ['a', 'b', 'c']) request(id);
  keys.release('a');
  await settlePromises();
  expect(waits).toEqual([
    ['b', 'a'],
    ['c', 'a'],
    ['c', 'b'],
  ]);
});

test('no node requests two keys', async () => {
  const keys = new ExclusiveKeys();
  await keys.acquire(user('a'), keyOf('one'), unstopped(), ignoreWaits);
  await expect(keys.acquire(user('a'), keyOf('two'), unstopped(), ignoreWaits)).rejects.toThrow('a has requested');
});

test('no listener is left, whichever way a wait ends [cancel.clean]', async () => {
  const keys = new ExclusiveKeys();
  const { request } = requestsOf(keys);
  const stops = [new AbortController(), new AbortController(), new AbortController()];
  request('first');
  stops.forEach(({ signal }, index) => {
    request(`w${index}`, 'name', signal);
  });
  stops[0]?.abort();
  keys.release('first');
  keys.markAbandoned('w1');
  await settlePromises();
  for (const { signal } of stops) expect(getEventListeners(signal, 'abort')).toEqual([]);
});

const isIn = (a: string, b: string) => a === b || `${a}/`.startsWith(`${b}/`);
const inConflict = (a: string, b: string) => isIn(a, b) || isIn(b, a);

test('in any order of events keys that conflict have one holder, earlier requests go first, and every request is settled [tool.parallel]', async () => {
  const step = fc.record({
    act: fc.constantFrom('request', 'request', 'stop', 'release', 'abandon'),
    id: fc.nat(7),
    key: fc.constantFrom('one', '/a', '/a/b', '/a/c', '/d'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const keys = new ExclusiveKeys();
      interface Entry {
        readonly key: string;
        readonly order: number;
        readonly stop: AbortController;
        state: 'waiting' | 'held' | 'over';
      }
      const requested = new Map<string, Entry>();
      const alive = () => [...requested.values()].filter(({ state }) => state !== 'over');
      const settle = async () => {
        for (let i = 0; i < 6; i++) await null;
      };
      const end = async (id: string, entry: Entry) => {
        keys.release(id);
        await settle();
        entry.state = 'over';
      };
      let order = 0;
      for (const { act, id: number, key } of steps) {
        const id = `n${number}`;
        const known = requested.get(id);
        if (act === 'request' && !known) {
          const entry: Entry = { key, order: order++, stop: new AbortController(), state: 'waiting' };
          requested.set(id, entry);
          void keys.acquire(user(id), keyOf(key), entry.stop.signal, ignoreWaits).then(({ kind }) => {
            entry.state = kind === 'go' ? 'held' : 'over';
          });
        }
        if (act === 'stop') known?.stop.abort();
        if (act === 'release' && known) await end(id, known);
        if (act === 'abandon' && known?.state === 'held') keys.markAbandoned(id);
        await settle();
        const held = alive().filter(({ state }) => state === 'held');
        for (const a of held)
          for (const b of alive())
            if (a !== b && inConflict(a.key, b.key)) expect(b.state === 'waiting' && b.order > a.order).toBe(true);
        const isBlocked = (one: Entry) => alive().some((b) => b.order < one.order && inConflict(b.key, one.key));
        expect(alive().filter((one) => one.state === 'waiting' && !isBlocked(one))).toEqual([]);
        expect(keys.size).toBe(alive().length);
      }
      for (const [id, entry] of requested) await end(id, entry);
      expect(keys.size).toBe(0);
      for (const { stop } of requested.values()) expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('whatever wide and narrow folders are asked for, no later call passes an earlier one that is in its way, and each has its turn [tool.keys]', async () => {
  const folder = fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }).map((names) => `/${names.join('/')}`);
  const overlap = (a: string, b: string) => a === '/' || b === '/' || inConflict(a, b);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(folder, fc.nat()), { minLength: 1, maxLength: 24 }), async (asked) => {
      const keys = new ExclusiveKeys();
      const { results, request } = requestsOf(keys);
      const folders = asked.map(([path]) => path);
      const running = new Set<number>();
      let seen = 0;
      const startNext = async () => {
        for (let i = 0; i < 6; i++) await null;
        for (const [id] of results.slice(seen)) {
          const one = Number(id);
          for (const other of running) expect(overlap(folders[one] ?? '', folders[other] ?? '')).toBe(false);
          running.add(one);
        }
        seen = results.length;
      };
      for (const [index, [path, ending]] of asked.entries()) {
        request(`${index}`, path);
        await startNext();
        if (ending % 3 === 0) await end([...running].at(ending % running.size));
      }
      for (const [, ending] of asked) await end([...running].at(ending % running.size));
      async function end(one: number | undefined): Promise<void> {
        if (one === undefined) return;
        running.delete(one);
        keys.release(`${one}`);
        await startNext();
      }
      const started = results.map(([id]) => Number(id));
      expect(started.toSorted((a, b) => a - b)).toEqual(folders.map((_, index) => index));
      for (const [at, later] of started.entries())
        for (const earlier of started.slice(at + 1))
          if (earlier < later) expect(overlap(folders[earlier] ?? '', folders[later] ?? '')).toBe(false);
      expect(keys.size).toBe(0);
    }),
    { numRuns: 300 },
  );
});
