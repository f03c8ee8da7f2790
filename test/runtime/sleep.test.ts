// A session without connections and without work falls asleep, and the next command wakes it.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { createWorld, memberOf } from '../support/world.ts';

const idleMs = 1_000;

test('an idle session is given back to the store, and nothing of it is kept [cancel.clean]', async () => {
  const log = createMemoryLog();
  const world = await createWorld({ log, limits: { idleMs } });
  await world.say('words');
  await world.clock.advance(10 * idleMs);
  expect((await log.head('s')).holder, 'a connection keeps it awake').not.toBeNull();
  await world.session.leave(world.alice.connection, 'left');
  await world.clock.advance(3 * idleMs);
  expect((await log.head('s')).holder).toBeNull();
  expect(world.runtime.sizes('s')).toEqual({ sessions: 0, opening: 0, exclusiveKeys: 0 });
  expect(world.clock.pending, 'timers').toBe(0);
});

test('a command wakes it, with its history', async () => {
  const world = await createWorld({ limits: { idleMs } });
  await world.session.leave(world.alice.connection, 'left');
  await world.clock.advance(3 * idleMs);
  const said = world.session.say(memberOf('bob'), { text: 'are you there?' });
  await world.clock.advance(idleMs / 2);
  expect(await said).toMatchObject({ type: 'turn_opened' });
  expect((await world.log.read('s', 0)).filter(({ body }) => body.type === 'session_opened')).toHaveLength(1);
});

test('work keeps a session awake without any connection', async () => {
  const world = await createWorld({
    limits: { idleMs },
    respond: () => ({ steps: [{ waitMs: 10 * idleMs }, { text: 'done' }] }),
  });
  const turn = await world.say('words');
  await world.session.leave(world.alice.connection, 'left');
  await world.clock.advance(5 * idleMs);
  expect((await world.session.nodes()).map(({ node }) => node)).toEqual([turn]);
});
