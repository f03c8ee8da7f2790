// Force: graces are skipped, and only what is declared killable is killed.
import { expect, test } from 'vitest';
import type { CancelContract, Tool } from '../../src/tools/tool.ts';
import { callsOnce, startHarness, toolOf } from '../support/harness.ts';

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
  const harness = await startHarness({ tools: [tool], respond: callsOnce(['listens']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn, force: true });
  await harness.clock.advance(10);
  expect(fired).toEqual(heard);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('listens')]: 'cancelled' });
});

test('without it nobody is hurried or killed, however long the stop takes [cancel.bounded]', async () => {
  const { fired, tool } = listening('killable');
  const harness = await startHarness({ tools: [tool], respond: callsOnce(['listens']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(5_000);
  expect(fired).toEqual(['signal']);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('listens')]: 'abandoned' });
});
