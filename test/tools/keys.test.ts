// Exclusive keys have one holder each, a fair queue, and no queue after an abandoned holder.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settlePromises } from '../../src/sources/virtual.ts';
import { type Acquired, ExclusiveKeys, type KeyService, keyName } from '../../src/tools/keys.ts';

const unstopped = () => new AbortController().signal;

/** Requests keys, and records each result when it comes. */
function requestsOf(keys: KeyService) {
  const results: [id: string, Acquired][] = [];
  const request = (id: string, key = 'folder', signal = unstopped()) => {
    void keys.acquire(id, key, signal).then((result) => results.push([id, result]));
  };
  return { results, request };
}

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
  expect(keys.heldNames()).toEqual([]);
});

test('nodes with different keys do not wait for each other [tool.parallel]', async () => {
  const keys = new ExclusiveKeys();
  expect(await keys.acquire('a', 'one', unstopped())).toEqual(go);
  expect(await keys.acquire('b', 'two', unstopped())).toEqual(go);
  expect(keys.heldNames()).toEqual(['one', 'two']);
});

test('a node that is stopped while it waits leaves the queue; those after it keep their order [ladder.call.queued]', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  const stop = new AbortController();
  request('a');
  request('b', 'folder', stop.signal);
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
  expect(await keys.acquire('a', 'folder', AbortSignal.abort())).toEqual({ kind: 'stopped' });
  expect(keys.heldNames()).toEqual([]);
});

test('a stopped holder keeps the key until it has ended [tool.parallel]', async () => {
  const keys = new ExclusiveKeys();
  const { results, request } = requestsOf(keys);
  const stop = new AbortController();
  request('a', 'folder', stop.signal);
  request('b', 'folder', stop.signal);
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
  expect(keys.heldNames()).toEqual(['folder']);
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

test('a key of the host is one for all sessions; a session has its own [tool.parallel]', () => {
  const names = (scope: 'host' | 'session') => ['s1', 's2'].map((session) => keyName({ scope, name: 'k' }, session));
  expect(new Set(names('host')).size).toBe(1);
  expect(new Set([...names('session'), ...names('host')]).size).toBe(3);
});

test('no node requests two keys', async () => {
  const keys = new ExclusiveKeys();
  await keys.acquire('a', 'one', unstopped());
  await expect(keys.acquire('a', 'two', unstopped())).rejects.toThrow('a has requested');
});

test('no listener is left, whichever way a wait ends [cancel.clean]', async () => {
  const keys = new ExclusiveKeys();
  const { request } = requestsOf(keys);
  const stops = [new AbortController(), new AbortController(), new AbortController()];
  request('first');
  stops.forEach(({ signal }, index) => {
    request(`w${index}`, 'folder', signal);
  });
  stops[0]?.abort();
  keys.release('first');
  keys.markAbandoned('w1');
  await settlePromises();
  for (const { signal } of stops) expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('in any order of events a key has one holder, the queue is fair, and every request is settled [tool.parallel]', async () => {
  const step = fc.record({
    act: fc.constantFrom('request', 'request', 'stop', 'release', 'abandon'),
    id: fc.nat(7),
    key: fc.constantFrom('one', 'two'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const keys = new ExclusiveKeys();
      const requested = new Map<
        string,
        { key: string; order: number; stop: AbortController; result: Acquired | null }
      >();
      const holders = new Map<string, string>();
      const went = new Map<string, number[]>();
      let order = 0;
      const settle = async () => {
        await null;
        await null;
        await null;
      };
      const gone = (id: string) => {
        for (const [key, holder] of holders) if (holder === id) holders.delete(key);
        keys.release(id);
      };
      for (const { act, id: number, key } of steps) {
        const id = `n${number}`;
        const known = requested.get(id);
        if (act === 'request' && !known) {
          const entry = { key, order: order++, stop: new AbortController(), result: null as Acquired | null };
          requested.set(id, entry);
          void keys.acquire(id, key, entry.stop.signal).then((result) => {
            entry.result = result;
            if (result.kind !== 'go') return;
            expect(holders.has(key)).toBe(false);
            holders.set(key, id);
            went.set(key, [...(went.get(key) ?? []), entry.order]);
          });
        }
        if (act === 'stop') known?.stop.abort();
        if (act === 'release' && known) gone(id);
        if (act === 'abandon' && known?.result?.kind === 'go') keys.markAbandoned(id);
        await settle();
        expect(keys.heldNames().sort()).toEqual([...holders.keys()].sort());
      }
      for (const id of requested.keys()) {
        gone(id);
        await settle();
      }
      expect(keys.heldNames()).toEqual([]);
      for (const { result, stop } of requested.values()) {
        expect(result).not.toBeNull();
        expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
      }
      for (const orders of went.values()) expect(orders).toEqual([...orders].sort((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});
