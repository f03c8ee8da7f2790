// Exclusive keys: one holder, a fair line, and nobody behind an abandoned call.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settlePromises } from '../../src/sources/virtual.ts';
import { type Acquired, createSchedule, keyName, type Schedule } from '../../src/tools/keys.ts';

const unstopped = () => new AbortController().signal;

/** Asks for the key, and notes the answer when it comes. */
function asking(schedule: Schedule) {
  const answers: [id: string, Acquired][] = [];
  const ask = (id: string, key = 'folder', signal = unstopped()) => {
    void schedule.acquire(id, key, signal).then((answer) => answers.push([id, answer]));
  };
  return { answers, ask };
}

const go = { kind: 'go' } as const;

test('callers of one key go one after the other, in the order in which they came [tool.parallel]', async () => {
  const schedule = createSchedule();
  const { answers, ask } = asking(schedule);
  for (const id of ['a', 'b', 'c']) ask(id);
  await settlePromises();
  expect(answers).toEqual([['a', go]]);
  schedule.release('a');
  ask('d');
  await settlePromises();
  expect(answers).toEqual([
    ['a', go],
    ['b', go],
  ]);
  for (const id of ['b', 'c', 'd']) {
    schedule.release(id);
    await settlePromises();
  }
  expect(answers.map(([id]) => id)).toEqual(['a', 'b', 'c', 'd']);
  expect(schedule.held()).toEqual([]);
});

test('callers of different keys do not wait for each other [tool.parallel]', async () => {
  const schedule = createSchedule();
  expect(await schedule.acquire('a', 'one', unstopped())).toEqual(go);
  expect(await schedule.acquire('b', 'two', unstopped())).toEqual(go);
  expect(schedule.held()).toEqual(['one', 'two']);
});

test('one that is stopped while it waits leaves the line; those behind it keep their places [ladder.call.queued]', async () => {
  const schedule = createSchedule();
  const { answers, ask } = asking(schedule);
  const stop = new AbortController();
  ask('a');
  ask('b', 'folder', stop.signal);
  ask('c');
  stop.abort();
  await settlePromises();
  expect(answers).toEqual([
    ['a', go],
    ['b', { kind: 'stopped' }],
  ]);
  schedule.release('b'); // its node is gone: nobody else is touched by that
  await settlePromises();
  expect(answers).toHaveLength(2);
  schedule.release('a');
  await settlePromises();
  expect(answers.at(-1)).toEqual(['c', go]);
});

test('a signal that has fired takes no key, free or not [cancel.latch]', async () => {
  const schedule = createSchedule();
  expect(await schedule.acquire('a', 'folder', AbortSignal.abort())).toEqual({ kind: 'stopped' });
  expect(schedule.held()).toEqual([]);
});

test('a holder that is stopped keeps the key until it is gone [tool.parallel]', async () => {
  const schedule = createSchedule();
  const { answers, ask } = asking(schedule);
  const stop = new AbortController();
  ask('a', 'folder', stop.signal);
  ask('b', 'folder', stop.signal);
  await settlePromises();
  schedule.release('a');
  await settlePromises();
  stop.abort();
  ask('c');
  await settlePromises();
  expect(answers).toEqual([
    ['a', go],
    ['b', go],
  ]);
});

test('behind an abandoned holder nobody waits, and it keeps the key until it is gone [cancel.bounded]', async () => {
  const schedule = createSchedule();
  const { answers, ask } = asking(schedule);
  for (const id of ['a', 'b', 'c']) ask(id);
  schedule.abandoned('a');
  await settlePromises();
  ask('d');
  await settlePromises();
  const held = { kind: 'key_held', by: 'a' };
  expect(answers).toEqual([
    ['a', go],
    ['b', held],
    ['c', held],
    ['d', held],
  ]);
  for (const id of ['b', 'c', 'd']) schedule.release(id);
  expect(schedule.held()).toEqual(['folder']);
  schedule.release('a');
  ask('e');
  await settlePromises();
  expect(answers.at(-1)).toEqual(['e', go]);
});

test('one that is abandoned while it waits, or never asked, changes nothing', async () => {
  const schedule = createSchedule();
  const { answers, ask } = asking(schedule);
  ask('a');
  ask('b');
  schedule.abandoned('b');
  schedule.abandoned('stranger');
  schedule.release('stranger');
  schedule.release('a');
  await settlePromises();
  expect(answers).toEqual([
    ['a', go],
    ['b', go],
  ]);
});

test('one that is gone while it waits is told so, and holds up nobody', async () => {
  const schedule = createSchedule();
  const { answers, ask } = asking(schedule);
  for (const id of ['a', 'b', 'c']) ask(id);
  schedule.release('b');
  schedule.release('a');
  await settlePromises();
  expect(answers).toEqual([
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

test('no node asks twice', async () => {
  const schedule = createSchedule();
  await schedule.acquire('a', 'one', unstopped());
  await expect(schedule.acquire('a', 'two', unstopped())).rejects.toThrow('a has asked');
});

test('no listener is left, whichever way a wait ends [cancel.clean]', async () => {
  const schedule = createSchedule();
  const { ask } = asking(schedule);
  const stops = [new AbortController(), new AbortController(), new AbortController()];
  ask('first');
  stops.forEach(({ signal }, place) => {
    ask(`w${place}`, 'folder', signal);
  });
  stops[0]?.abort();
  schedule.release('first');
  schedule.abandoned('w1');
  await settlePromises();
  for (const { signal } of stops) expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('in any order of events a key has one holder, the line is fair, and every caller is answered [tool.parallel]', async () => {
  const step = fc.record({
    act: fc.constantFrom('ask', 'ask', 'stop', 'release', 'abandon'),
    id: fc.nat(7),
    key: fc.constantFrom('one', 'two'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const schedule = createSchedule();
      const asked = new Map<string, { key: string; order: number; stop: AbortController; answer: Acquired | null }>();
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
        schedule.release(id);
      };
      for (const { act, id: number, key } of steps) {
        const id = `n${number}`;
        const known = asked.get(id);
        if (act === 'ask' && !known) {
          const entry = { key, order: order++, stop: new AbortController(), answer: null as Acquired | null };
          asked.set(id, entry);
          void schedule.acquire(id, key, entry.stop.signal).then((answer) => {
            entry.answer = answer;
            if (answer.kind !== 'go') return;
            expect(holders.has(key)).toBe(false);
            holders.set(key, id);
            went.set(key, [...(went.get(key) ?? []), entry.order]);
          });
        }
        if (act === 'stop') known?.stop.abort();
        if (act === 'release' && known) gone(id);
        if (act === 'abandon' && known?.answer?.kind === 'go') schedule.abandoned(id);
        await settle();
        expect(schedule.held().sort()).toEqual([...holders.keys()].sort());
      }
      for (const id of asked.keys()) {
        gone(id);
        await settle();
      }
      expect(schedule.held()).toEqual([]);
      for (const { answer, stop } of asked.values()) {
        expect(answer).not.toBeNull();
        expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
      }
      for (const orders of went.values()) expect(orders).toEqual([...orders].sort((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});
