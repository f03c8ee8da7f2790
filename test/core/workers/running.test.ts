// The end of a call whose tool was entered: whatever fails after that, it is not reported as one that did not run.
import { expect, test } from 'vitest';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';

test('a call that ran may have had effects, also where its cleanup and the report about it throw [history.effect]', async () => {
  let ran = false;
  const tool = {
    ...toolOf('write', (_, { signal }) => {
      ran = true;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' })));
    }),
    cleanup: () => Promise.reject(new Error('no cleanup')),
  };
  const warn = () => {
    throw new Error('the reporter is closed');
  };
  const h = await startHarness({ tools: [tool], warn, respond: callsOnce(['write']) });
  const turn = await h.say('go');
  await h.clock.advance(100);
  expect(ran).toBe(true);
  await h.cancel({ target: turn });
  await h.clock.advance(1_000);
  expect(h.recorder.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'unknown' }]);
});
