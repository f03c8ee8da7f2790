// Force: graces are skipped, and only what is declared killable is killed.
import { expect, test } from 'vitest';
import type { CancelContract, Tool } from '../../src/tools/tool.ts';
import { createWorld, once, toolOf } from '../support/world.ts';

const listening = (cancel: CancelContract) => {
  const fired: string[] = [];
  const tool: Tool = toolOf(
    'listens',
    (_, { signal, kill, skipGrace }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => fired.push('signal'), { once: true });
        kill.addEventListener('abort', () => fired.push('kill'), { once: true });
        skipGrace.addEventListener(
          'abort',
          () => {
            fired.push('skipGrace');
            resolve({ kind: 'stopped', output: '' });
          },
          { once: true },
        );
      }),
    { cancel, ...(cancel === 'shielded' && { shieldMaxMs: 100 }) },
  );
  return { fired, tool };
};

test.each<[CancelContract, string[]]>([
  ['abortable', ['signal', 'skipGrace']],
  ['shielded', ['signal', 'skipGrace']],
  ['killable', ['signal', 'kill', 'skipGrace']],
])('what a call hears of it that is declared %s: %j [cancel.idempotent] [cancel.tool]', async (cancel, heard) => {
  const { fired, tool } = listening(cancel);
  const world = await createWorld({ tools: [tool], respond: once(['listens']) });
  const turn = await world.say('words');
  await world.clock.advance(50);
  await world.cancel({ target: turn, force: true });
  await world.clock.advance(10);
  expect(fired).toEqual(heard);
  expect(world.results()).toEqual({ [world.call('listens')]: 'cancelled' });
});

test('without it nobody is hurried or killed, however long the stop takes [cancel.bounded]', async () => {
  const { fired, tool } = listening('killable');
  const world = await createWorld({ tools: [tool], respond: once(['listens']) });
  const turn = await world.say('words');
  await world.clock.advance(50);
  await world.cancel({ target: turn });
  await world.clock.advance(5_000);
  expect(fired).toEqual(['signal']);
  expect(world.results()).toEqual({ [world.call('listens')]: 'abandoned' });
});
