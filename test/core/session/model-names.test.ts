// Names that a model makes up for its calls: kept short and printable, wherever they go.
import { expect, test } from 'vitest';
import { callsOnce, startHarness } from '../../support/harness.ts';

test('a name of 3 MB with controls is cut and repaired, in the facts and in the next request [access.names]', async () => {
  const harness = await startHarness({ respond: callsOnce([`sh\u001b[2Jell${'x'.repeat(3_000_000)}`]) });
  await harness.say('work');
  await harness.clock.advance(1_000);
  const [call] = harness.recorder.of('tool_call');
  expect(call?.name.startsWith('sh_[2Jell')).toBe(true);
  expect(call?.name.length).toBeLessThanOrEqual(128);
  expect(harness.recorder.of('tool_result')[0]).toMatchObject({ outcome: 'failed', code: 'unknown_tool' });
  const facts = JSON.stringify(harness.recorder.facts);
  expect(facts.length).toBeLessThan(20_000);
  expect(JSON.stringify(harness.provider.requests.at(-1)?.messages).length).toBeLessThan(20_000);
});

test.each(['', 'a\nb', 'x'.repeat(129)])('%j is no id of a session [access.names]', async (id) => {
  const { runtime } = await startHarness();
  await expect(runtime.open(id)).rejects.toThrow('The id of a session must');
});
