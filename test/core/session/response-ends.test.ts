// Ends of a response: each is named in the end of its model call, and in the end of its turn.
import { expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { callsOnce, startHarness, textResponse } from '../../support/harness.ts';

const rows: readonly { readonly finish: string; readonly script: Script }[] = [
  { finish: 'stop', script: textResponse('fine') },
  { finish: 'length', script: { ...textResponse('and so'), finish: 'length' } },
  { finish: 'content_filter', script: { ...textResponse(''), finish: 'content_filter' } },
  { finish: 'refusal', script: { ...textResponse('I will not.'), finish: 'refusal' } },
  { finish: 'empty', script: { steps: [{ text: ' \n' }] } },
  { finish: 'reasoning_only', script: { steps: [{ reasoning: 'Let me see.' }] } },
];

test.each(rows)('$finish is in both [model.ends]', async ({ finish, script }) => {
  const harness = await startHarness({ respond: () => script });
  const turn = await harness.say('words');
  await harness.clock.advance(100);
  expect(harness.recorder.of('model_ended')).toMatchObject([{ outcome: 'completed', finish }]);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed', finish });
});

test('a turn with calls has the finish of its last response [model.ends]', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 10 }]) });
  const turn = await harness.say('words');
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('model_ended').map(({ finish }) => finish)).toEqual(['tool_calls', 'stop']);
  expect(harness.endOf(turn)?.finish).toBe('stop');
});

test('a response that was stopped has none [model.ends]', async () => {
  const harness = await startHarness({ respond: () => ({ steps: [{ text: 'Well, ' }, { hang: true }] }) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(500);
  expect(harness.recorder.of('model_ended')[0]).not.toHaveProperty('finish');
  expect(harness.endOf(turn)).not.toHaveProperty('finish');
});
