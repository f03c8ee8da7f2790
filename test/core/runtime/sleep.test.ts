// A session without connections and without work falls asleep, and the next command wakes it.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { callerOf, startHarness } from '../../support/harness.ts';

const idleMs = 1_000;

test('an idle session is released, and nothing of it is kept [cancel.clean]', async () => {
  const log = createMemoryLog();
  const harness = await startHarness({ log, limits: { idleMs } });
  await harness.say('words');
  await harness.clock.advance(10 * idleMs);
  expect((await log.head('s')).holder, 'a connection keeps it awake').not.toBeNull();
  await harness.session.leave(harness.alice.connection, 'left');
  await harness.clock.advance(3 * idleMs);
  expect((await log.head('s')).holder).toBeNull();
  expect(harness.runtime.sizes('s')).toEqual({ sessions: 0, opening: 0, exclusiveKeys: 0 });
  expect(harness.clock.pending, 'timers').toBe(0);
});

test('a command wakes it, with its history', async () => {
  const harness = await startHarness({ limits: { idleMs } });
  await harness.session.leave(harness.alice.connection, 'left');
  await harness.clock.advance(3 * idleMs);
  const reply = harness.session.say(callerOf('bob'), { text: 'are you there?' });
  await harness.clock.advance(idleMs / 2);
  expect(await reply).toMatchObject({ type: 'turn_opened' });
  expect((await harness.log.read('s', 0)).filter(({ body }) => body.type === 'session_opened')).toHaveLength(1);
});

test('work keeps a session awake without any connection', async () => {
  const harness = await startHarness({
    limits: { idleMs },
    respond: () => ({ steps: [{ waitMs: 10 * idleMs }, { text: 'done' }] }),
  });
  const turn = await harness.say('words');
  await harness.session.leave(harness.alice.connection, 'left');
  await harness.clock.advance(5 * idleMs);
  expect((await harness.session.nodes()).map(({ node }) => node)).toEqual([turn]);
});
