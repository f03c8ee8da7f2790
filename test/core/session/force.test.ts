// Force skips graces, and kills only calls of tools that are declared killable.
import { expect, test } from 'vitest';
import type { CancelContract, Tool } from '../../../src/core/contracts/tool.ts';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';

const listeningTool = (cancel: CancelContract) => {
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
])('the signals of a call that is declared %s are: %j [cancel.idempotent] [cancel.tool]', async (cancel, expected) => {
  const { fired, tool } = listeningTool(cancel);
  const harness = await startHarness({ tools: [tool], respond: callsOnce(['listens']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn, force: true });
  await harness.clock.advance(10);
  expect(fired).toEqual(expected);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('listens')]: 'cancelled' });
});

test('without force no grace is skipped and nothing is killed, however long the stop takes [cancel.bounded]', async () => {
  const { fired, tool } = listeningTool('killable');
  const harness = await startHarness({ tools: [tool], respond: callsOnce(['listens']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(5_000);
  expect(fired).toEqual(['signal']);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('listens')]: 'abandoned' });
});
