// The journal of a session: its order, its groups, and what it does when the store fails.
import { describe, expect, test } from 'vitest';
import type { Fact, SequencedFact } from '../../../machines/facts.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { StoreFailed } from '../../../src/core/contracts/log.ts';
import { createVirtualClock, settlePromises } from '../../../src/core/sources/virtual.ts';
import { Journal } from '../../../src/core/transcript/journal.ts';
import { type Mood, unsteady } from './unsteady.ts';

const started = (index: number): Fact => ({ type: 'model_started', turn: 'turn_1', index });
const storeDeadlineMs = 5_000;
/** Resolves when what was appended in this tick is being written. */
const writeBegins = () => new Promise<void>(createVirtualClock().afterPromises);

async function open() {
  const clock = createVirtualClock(1_000);
  const store = createMemoryLog();
  const log = unsteady(store);
  const epoch = await log.claim('s', 0, 'host');
  const numbered: SequencedFact[] = [];
  const committed: SequencedFact[] = [];
  /** Everything that the journal published, in order. */
  const heard: string[] = [];
  const journal = new Journal({
    log,
    session: 's',
    clock,
    storeDeadlineMs,
    onFailure: (reason) => heard.push(reason),
  });
  journal.setProjections([
    {
      onAppended(event) {
        numbered.push(event);
        heard.push(`numbered ${event.seq}`);
      },
      onCommitted(event) {
        committed.push(event);
        heard.push(`committed ${event.seq}`);
      },
    },
  ]);
  journal.open(epoch, 0);
  const stored = async () => (await store.read('s', 0)).map(({ seq, body }) => ({ seq, fact: body }));
  /** Notes in `heard` when the promise resolves. */
  const append = (...indexes: number[]) =>
    void journal.append(indexes.map(started)).then(() => heard.push(`resolved ${indexes}`));
  return { clock, store, log, journal, numbered, committed, heard, stored, append };
}

describe('the order', () => {
  test('numbers are given in the tick of the call, and told after the commit', async () => {
    const { journal, heard, stored, append, clock } = await open();
    append(0, 1);
    await clock.advance(7);
    append(2);
    expect(heard).toEqual(['numbered 1', 'numbered 2', 'committed 1', 'committed 2', 'resolved 0,1', 'numbered 3']);
    expect([journal.lastSeq, journal.committedSeq]).toEqual([3, 2]);
    await journal.append([]);
    expect([journal.lastSeq, journal.committedSeq]).toEqual([3, 3]);
    expect(await stored()).toEqual([
      { seq: 1, fact: { ...started(0), at: 1_000 } },
      { seq: 2, fact: { ...started(1), at: 1_000 } },
      { seq: 3, fact: { ...started(2), at: 1_007 } },
    ]);
  });

  test('one append is in flight; what comes meanwhile goes into the next one', async () => {
    const { journal, log, append } = await open();
    append(0);
    append(1); // in the same tick
    await writeBegins();
    append(2);
    append(3, 4);
    await journal.append([]);
    expect(log.asked.map(({ expectedSeq, types }) => [expectedSeq, types.length])).toEqual([
      [0, 2],
      [2, 3],
    ]);
    expect(log.asked.every(({ together }) => together === 1)).toBe(true);
  });

  test('what follows without waiting for anything but promises is in the same append', async () => {
    const { journal, log, append } = await open();
    append(0);
    for (let index = 1; index < 20; index++) {
      await Promise.resolve();
      append(index);
    }
    await journal.append([]);
    expect(log.asked.map(({ types }) => types.length)).toEqual([20]);
  });

  test('a call is never split between two appends, however many wait', async () => {
    const { journal, log, stored } = await open();
    const call = Array.from({ length: 100 }, (_, i) => started(i));
    for (let i = 0; i < 10; i++) void journal.append(call);
    await journal.append([]);
    expect(log.asked.map(({ expectedSeq }) => expectedSeq % 100)).toEqual(log.asked.map(() => 0));
    expect(log.asked.length).toBeGreaterThan(1);
    expect((await stored()).map(({ seq }) => seq)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
  });

  test('nothing is accepted before the claim', async () => {
    const log = createMemoryLog();
    const journal = new Journal({
      log,
      session: 's',
      clock: createVirtualClock(),
      storeDeadlineMs,
      onFailure: () => {},
    });
    let resolved = false;
    void journal.append([started(0)]).then(() => {
      resolved = true;
    });
    await settlePromises();
    expect([resolved, journal.lastSeq, await log.read('s', 0)]).toEqual([false, 0, []]);
  });

  test('an append of nothing waits for all before it', async () => {
    const { journal, heard, append } = await open();
    await journal.append([]);
    append(0);
    append();
    append(1);
    await journal.append([]);
    await settlePromises();
    expect(heard).toEqual([
      'numbered 1',
      'numbered 2',
      'committed 1',
      'committed 2',
      'resolved 0',
      'resolved ',
      'resolved 1',
    ]);
  });

  test('what is appended while a commit is published comes after it', async () => {
    const { log, clock } = await open();
    const heard: string[] = [];
    const journal = new Journal({
      log,
      session: 's',
      clock,
      storeDeadlineMs,
      onFailure: (reason) => heard.push(reason),
    });
    journal.setProjections([
      {
        onAppended: ({ seq }) => void heard.push(`numbered ${seq}`),
        onCommitted({ seq }) {
          heard.push(`committed ${seq}`);
          if (journal.lastSeq < 3) void journal.append([started(journal.lastSeq)]);
        },
      },
    ]);
    journal.open(1, 0);
    await journal.append([started(0)]);
    await journal.append([]);
    await journal.append([]);
    expect(heard).toEqual(['numbered 1', 'committed 1', 'numbered 2', 'committed 2', 'numbered 3', 'committed 3']);
  });
});

describe('a store that fails', () => {
  test('is asked again until it works, with nothing written twice', async () => {
    const { journal, log, clock, heard, stored, append } = await open();
    log.mood = 'refuses';
    append(0);
    await clock.advance(1_000);
    append(1);
    expect(heard).toEqual(['numbered 1', 'numbered 2']);
    log.mood = 'well';
    await clock.advance(1_000);
    expect(heard).toEqual(['numbered 1', 'numbered 2', 'committed 1', 'resolved 0', 'committed 2', 'resolved 1']);
    expect((await stored()).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(journal.committedSeq).toBe(2);
    expect(clock.pending).toBe(0);
  });

  test('what was written though the answer was lost is not written again [store.durable]', async () => {
    const { log, clock, heard, stored, append } = await open();
    log.mood = 'writes, and its answer is lost';
    append(0, 1);
    await clock.advance(1_000);
    expect(heard).toEqual(['numbered 1', 'numbered 2', 'committed 1', 'committed 2', 'resolved 0,1']);
    expect(log.asked).toHaveLength(1);
    expect((await stored()).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test.each<Mood>(['refuses', 'says nothing'])('one that %s is given up at the deadline, once', async (mood) => {
    const { journal, log, clock, heard, stored, append } = await open();
    append(0);
    await journal.append([]);
    log.mood = mood;
    append(1);
    await clock.advance(storeDeadlineMs - 1);
    append(2);
    expect(heard.at(-1)).toBe('numbered 3');
    await clock.advance(1);
    expect(heard.at(-1)).toBe('store_failed');
    log.mood = 'well';
    append(3);
    append();
    await clock.advance(60_000);
    expect(heard).toEqual(['numbered 1', 'committed 1', 'resolved 0', 'numbered 2', 'numbered 3', 'store_failed']);
    expect((await stored()).map(({ seq }) => seq)).toEqual([1]);
    expect(clock.pending).toBe(0);
  });

  test('the deadline counts from the first failure, however long that took', async () => {
    const { log, clock, heard, append } = await open();
    log.append = () =>
      new Promise((_, reject) => clock.after(storeDeadlineMs - 1, () => reject(new StoreFailed('at last'))));
    append(0);
    await clock.advance(2 * storeDeadlineMs - 2);
    expect(heard).toEqual(['numbered 1']);
    await clock.advance(1);
    expect(heard).toEqual(['numbered 1', 'store_failed']);
  });

  test('the deadline of a group does not count an earlier one', async () => {
    const { log, clock, heard, append } = await open();
    for (let i = 0; i < 3; i++) {
      log.mood = 'refuses';
      append(i);
      await clock.advance(storeDeadlineMs - 1_000);
      log.mood = 'well';
      await clock.advance(999);
    }
    expect(heard.filter((what) => what.startsWith('resolved'))).toEqual(['resolved 0', 'resolved 1', 'resolved 2']);
    expect(heard).not.toContain('store_failed');
  });
});

describe('an end', () => {
  test('fenced: at once, and nothing more is written', async () => {
    const { log, store, clock, heard, stored, append } = await open();
    await store.claim('s', 1, 'another host');
    append(0);
    append(1);
    await clock.advance(0);
    append(2);
    await clock.advance(60_000);
    expect(heard).toEqual(['numbered 1', 'numbered 2', 'fenced']);
    expect(log.asked).toHaveLength(1);
    expect(await stored()).toEqual([]);
  });

  test('fenced while the store fails: seen before the repeat', async () => {
    const { log, store, clock, heard, append } = await open();
    log.mood = 'refuses';
    append(0);
    await clock.advance(100);
    await store.claim('s', 1, 'another host');
    const asked = log.asked.length;
    log.mood = 'well';
    await clock.advance(1_000);
    expect(heard).toEqual(['numbered 1', 'fenced']);
    expect(log.asked).toHaveLength(asked);
  });

  test.each<Mood>(['well', 'refuses', 'says nothing'])(
    'demolished while the store is %s: nothing is published any more',
    async (mood) => {
      const { journal, log, clock, heard, append } = await open();
      log.mood = mood;
      append(0);
      await writeBegins();
      append(1);
      journal.close();
      journal.close();
      append(2);
      await clock.advance(60_000);
      expect(heard).toEqual(['numbered 1', 'numbered 2']);
      expect(log.asked).toHaveLength(1);
      expect(clock.pending).toBe(0);
    },
  );
});
